#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

Surroundings.fillStandardDescriptors()
// A reader of standard output that goes away is noticed where it matters, when something is written to it.
signal(SIGPIPE, SIG_IGN)
// A limit for the size of files (ulimit -f) is an error of a write like a full disk, not the end of the process.
signal(SIGXFSZ, SIG_IGN)
exit(await CommandRunner.run(bytes: Surroundings.arguments))
