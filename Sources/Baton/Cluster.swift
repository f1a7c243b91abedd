import BatonClient
import Foundation

/// A cluster as a client sees it: the coordinator at an address.
public final class Cluster: Sendable {
    let connection: ClientConnection

    /// Prepares a connection; nothing is sent before the first request.
    ///
    /// Where the coordinator goes away, requests wait for up to a minute for it to come back.
    ///
    /// - Parameter coordinator: the coordinator's address, such as `tcp://127.0.0.1:7461`.
    /// - Throws: ``ClusterError`` where no thread or descriptor is left.
    public init(coordinator: String) throws(ClusterError) {
        let options = ClientOptions(version: ProcessInfo.processInfo.processName)
        connection = try ClusterError.rethrowing { () throws(ClientError) in
            try ClientConnection(endpoint: coordinator, options: options)
        }
    }

    /// A queue of the cluster by its name; it is made when the first operation is added to it.
    public func queue(_ name: String = "default") -> ClusterQueue {
        ClusterQueue(name: name, cluster: self)
    }
}
