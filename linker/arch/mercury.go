package arch

// ParametersStart is where the finalizer has parameters in bank 0, and slots if there is
// no kernel.
const ParametersStart = 0x380
