@_spi(Baton) package import BatonZeroMQ
import Synchronization

/// The addresses of a name under the control of a test.
package final class FakeNames: Sendable {
    /// An endpoint whose host is resolved here; the port is that of each address.
    package static let endpoint = "tcp://coordinator.test:7461"

    private let current: Mutex<[String]>
    private let onLookup: @Sendable () -> Void

    /// Starts with some addresses, each with its port: `tcp://127.0.0.2:4711`.
    ///
    /// - Parameter onLookup: called before each answer; may block, like a resolver whose name server is away.
    package init(_ addresses: [String], onLookup: @escaping @Sendable () -> Void = {}) {
        current = Mutex(addresses)
        self.onLookup = onLookup
    }

    /// The addresses of the name; none for an unknown host.
    package var addresses: [String] {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// The resolver that answers with the addresses.
    package var resolver: NameResolver {
        NameResolver { [self] _ in
            onLookup()
            return addresses.flatMap { ServerProbe($0)?.addresses ?? [] }
        }
    }
}
