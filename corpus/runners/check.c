// usage: check STEPS LINKER; STEPS is a path from /
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static char *argv[4096], *steps, line[1 << 16], command[1 << 16], dir[] = "/tmp/check.XXXXXX";
static void plain(char *to, const char *from) {
	for (char octal[4] = ""; *from && *from != '\n'; from++)
		if (*from != '\\') *to++ = *from;
		else if (*++from == '0') memcpy(octal, from + 1, 3), *to++ = strtol(octal, 0, 8), from += 3;
		else if (*from != 'c') *to++ = *from == 'n' ? '\n' : *from == 'r' ? '\r' : '\\';
	*to = 0;
}
static void check(int step, int n, int want) {
	if (step == 0) return;
	sprintf(command, "cd %s; rm -rf work; mkdir work; for d in in $(seq -f %%g.out %d); do cp -R $d/. work; done 2>/dev/null", dir, step - 1);
	int status = system(command);
	argv[n] = 0;
	if (fork() == 0) exit(chdir(dir) || chdir("work") || !freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr) || execv(argv[0], argv));
	wait(&status);
	if (WEXITSTATUS(status) != want) printf("exit %s step %d: %d\n", steps, step, WEXITSTATUS(status));
	sprintf(command, "cd %s; cd %d.out 2>/dev/null || exit 0; find . -type f | while read -r f; do cmp -s \"$f\" \"../work/$f\" || echo \"bytes %s step %d: $f\"; done", dir, step, steps, step);
	fflush(stdout), status = system(command);
}
int main(int argc, char **args) {
	int step = 0, n = 1, want = 0;
	FILE *text = fopen(steps = args[1], "r");
	sprintf(command, "tar -xzf %.*s.tar.gz -C %s 2>/dev/null", (int)strlen(steps) - 6, steps, mkdtemp(dir));
	if (!text || system(command) < 0) return 2;
	for (argv[0] = args[2]; fgets(line, sizeof line, text) && strncmp(line, "release ", 8);)
		if (!strncmp(line, "step ", 5)) check(step, n, want), step = atoi(line + 5), n = 1, want = 0;
		else if (!strncmp(line, "arg ", 4)) plain(argv[n++] = malloc(strlen(line)), line + 4);
		else if (!strncmp(line, "exit ", 5)) want = atoi(line + 5);
	check(step, n, want);
	sprintf(command, "rm -rf %s", dir);
	return system(command);
}
