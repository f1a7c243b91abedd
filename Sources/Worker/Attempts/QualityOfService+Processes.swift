import BatonOperations
import BatonProcesses

/// The share of processor and disk that a class gets (QO2).
extension QualityOfService {
    /// The niceness, which needs no privilege to be raised; nil is that of the worker.
    var niceness: Int32? {
        switch self {
        case .userInteractive, .userInitiated, .default: nil
        case .utility: 5
        case .background: 15
        }
    }

    /// The share of the disk; nil is that of the worker.
    var ioPriority: IOPriority? {
        switch self {
        case .userInteractive, .userInitiated, .default: nil
        case .utility: .bestEffort(level: 6)
        case .background: .idle
        }
    }
}
