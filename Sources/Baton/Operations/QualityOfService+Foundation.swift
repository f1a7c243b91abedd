@_spi(Baton) import BatonOperations
import Foundation

extension BatonOperations.QualityOfService {
    /// Converts a class of Foundation's.
    init(_ quality: Foundation.QualityOfService) {
        self =
            switch quality {
            case .userInteractive: .userInteractive
            case .userInitiated: .userInitiated
            case .utility: .utility
            case .background: .background
            default: .default
            }
    }
}

extension Foundation.QualityOfService {
    /// Converts a class of the cluster's.
    init(_ quality: BatonOperations.QualityOfService) {
        self =
            switch quality {
            case .userInteractive: .userInteractive
            case .userInitiated: .userInitiated
            case .default: .default
            case .utility: .utility
            case .background: .background
            }
    }
}
