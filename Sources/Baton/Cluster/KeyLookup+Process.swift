@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
import Foundation

extension KeyLookup {
    /// The search in the environment of this process and a state directory.
    ///
    /// - Parameter home: the state directory; nil for the one that the environment names.
    static func ofProcess(home: String?) -> KeyLookup {
        let environment = ProcessInfo.processInfo.environment
        return KeyLookup(
            environment: environment,
            directory: KeyDirectory(home: home ?? StateDirectory.path(in: environment))
        )
    }

    /// Whether the environment turns keys off.
    var isInsecure: Bool { value(CoordinatorAccess.insecureVariable) == "1" }
}

extension KeyLookup {
    /// The operation that this process was started for, if it is one of the coordinator at an address.
    func operation(at endpoint: String) -> OperationID? {
        guard value(CoordinatorAccess.variable) == endpoint,
            case .operation(let id)? = value("BATON_OPERATION").flatMap({ Address($0) })
        else { return nil }
        return id
    }
}
