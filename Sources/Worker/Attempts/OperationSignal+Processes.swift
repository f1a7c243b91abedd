@_spi(Baton) import BatonOperations

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension OperationSignal {
    /// The number of the signal on this system.
    var number: Int32 {
        switch self {
        case .abort: SIGABRT
        case .alarm: SIGALRM
        case .hangUp: SIGHUP
        case .interrupt: SIGINT
        case .kill: SIGKILL
        case .quit: SIGQUIT
        case .terminate: SIGTERM
        case .user1: SIGUSR1
        case .user2: SIGUSR2
        case .window: SIGWINCH
        }
    }
}
