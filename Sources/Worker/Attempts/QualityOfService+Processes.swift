import BatonOperations
import BatonProcesses

/// The share of processor and disk for a quality of service (QO2).
extension QualityOfService {
    /// The niceness, which a process can raise without privilege; nil is the worker's niceness.
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
