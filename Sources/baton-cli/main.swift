#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

// A reader of standard output that goes away is noticed where it matters, when something is written to it.
signal(SIGPIPE, SIG_IGN)
exit(await CommandRunner.run(Array(CommandLine.arguments.dropFirst())))
