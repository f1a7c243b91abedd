@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The share of processor and disk for a quality of service (QO2).
extension QualityOfService {
    /// The least niceness, which a process can raise without privilege; nil is the worker's niceness.
    var niceness: Int32? {
        switch self {
        case .userInteractive, .userInitiated, .default: nil
        case .utility: 5
        case .background: 15
        }
    }

    /// The share of the disk; nil is the worker's share.
    var ioPriority: IOPriority? {
        switch self {
        case .userInteractive, .userInitiated, .default: nil
        case .utility: .bestEffort(level: 6)
        case .background: .idle
        }
    }
}

/// The kind of number that names a process to getpriority(2).
#if canImport(Darwin)
    private let process = PRIO_PROCESS
#else
    private let process = Int32(PRIO_PROCESS.rawValue)
#endif

extension Work {
    /// The niceness of the programs of an attempt.
    ///
    /// The work's own niceness is added to the niceness of the class, or to the worker's niceness if that is higher. The worker's
    /// niceness is read from its main thread, since thread pools change the niceness of their threads when they run as root.
    ///
    /// - Parameter quality: the class of the attempt.
    func niceness(of quality: QualityOfService?) -> Int32 {
        let own = getpriority(process, id_t(getpid()))
        return min(max(quality?.niceness ?? own, own) + Int32(niceness), 19)
    }
}
