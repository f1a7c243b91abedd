@_spi(Baton) import BatonClient
import Foundation

/// A client of a cluster: a connection to the coordinator at an address.
public final class Cluster: Sendable {
    let connection: ClientConnection

    /// Prepares a connection; the client sends nothing before the first request.
    ///
    /// If the coordinator goes away, requests wait up to a minute for the coordinator to come back.
    ///
    /// - Parameter coordinator: the coordinator's address, for example `tcp://127.0.0.1:7461`.
    /// - Throws: ``ClusterError`` if the process has no free thread or descriptor.
    public init(coordinator: String) throws(ClusterError) {
        let options = ClientOptions(version: ProcessInfo.processInfo.processName)
        connection = try ClusterError.rethrowing { () throws(ClientError) in
            try ClientConnection(endpoint: coordinator, options: options)
        }
    }

    /// A queue of the cluster by name; the first operation added to the queue creates the queue.
    public func queue(_ name: String = "default") -> ClusterQueue {
        ClusterQueue(name: name, cluster: self)
    }
}
