import Foundation
import Glibc

/// A TCP server that ends each connection at once, like a proxy whose server is away.
package final class ClosingServer: Sendable {
    private let listener: SilentServer

    package var endpoint: String { listener.endpoint }

    package init() throws {
        listener = try SilentServer()
        Thread.detachNewThread { [listener] in
            while let connection = listener.accept() { close(connection) }
        }
    }

    deinit { listener.stop() }
}
