@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

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

extension Work {
    /// The niceness of the programs of an attempt.
    ///
    /// The work's own niceness is added to the niceness of the class, or to the worker's niceness if that is higher.
    ///
    /// - Parameters:
    ///   - quality: the class of the attempt.
    ///   - own: the worker's niceness.
    func niceness(of quality: QualityOfService?, from own: Int32) -> Int32 {
        min(max(quality?.niceness ?? own, own) + Int32(niceness), 19)
    }
}
