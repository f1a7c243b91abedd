@_spi(Baton) import BatonKeys
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
