/* start.h: when Go starts, which differs by system. */
#ifndef CULINK_START_H
#define CULINK_START_H

/* Why Go is not entered; NULL: it is. */
extern const char *volatile why;

/* Reports whether Go can be entered; it is started by then. */
int enters(void);

/* The value is the version of this interface. Only this library exports it: NVIDIA's may stand under the same name. */
extern const int culinkNvJitLink;

/* The file that this library was loaded from, in UTF-8, or a name without a file. */
const char *ownFile(void);

#endif
