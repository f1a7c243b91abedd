@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonZeroMQ
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
    /// The operation that this process was started for, if it is one of the coordinator at an address, or at one of several addresses.
    func operation(at endpoint: String) -> OperationID? {
        guard let own = value(CoordinatorAccess.variable),
            EndpointList(asGiven: endpoint).isPart(of: EndpointList(asGiven: own)),
            case .operation(let id)? = value("BATON_OPERATION").flatMap({ Address($0) })
        else { return nil }
        return id
    }
}
