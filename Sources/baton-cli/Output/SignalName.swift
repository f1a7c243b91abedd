#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The names of signals, for people.
enum SignalName {
    private static let names: [Int32: String] = [
        SIGABRT: "SIGABRT", SIGALRM: "SIGALRM", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGHUP: "SIGHUP",
        SIGILL: "SIGILL", SIGINT: "SIGINT", SIGIO: "SIGIO", SIGKILL: "SIGKILL", SIGPIPE: "SIGPIPE",
        SIGPROF: "SIGPROF", SIGQUIT: "SIGQUIT",
        SIGSEGV: "SIGSEGV", SIGSYS: "SIGSYS", SIGTERM: "SIGTERM", SIGTRAP: "SIGTRAP", SIGUSR1: "SIGUSR1",
        SIGUSR2: "SIGUSR2", SIGVTALRM: "SIGVTALRM", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ",
    ]

    /// The number with the name of the signal, such as `11 (SIGSEGV)`; the number alone for a signal without a name.
    static func text(of signal: Int32) -> String { names[signal].map { "\(signal) (\($0))" } ?? "\(signal)" }
}
