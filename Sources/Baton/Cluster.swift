@_spi(Baton) public import BatonClient
@_spi(Baton) import BatonKeys
import Foundation

/// A client of a cluster: a connection to the coordinator at an address.
public final class Cluster: Sendable {
    let connection: any RequestChannel

    /// Prepares a connection; the client sends nothing before the first request.
    ///
    /// If the coordinator goes away, requests wait up to a minute for the coordinator to come back.
    ///
    /// The key is that of `BATON_KEY`, of the file that `BATON_KEY_FILE` names, or of the state directory. With
    /// `BATON_INSECURE=1`, the client uses no key, and expects a coordinator without keys.
    ///
    /// - Parameters:
    ///   - coordinator: the coordinator's address, for example `tcp://127.0.0.1:7461`; nil for that of `BATON_COORDINATOR`, else
    ///     the address that belongs to the key, else `tcp://127.0.0.1:7461`.
    ///   - home: the state directory with the keys; nil for that of `BATON_HOME`, else `~/.local/state/baton`.
    /// - Throws: ``ClusterError`` if the process has no usable key, or no free thread or descriptor.
    public init(coordinator: String? = nil, home: String? = nil) throws(ClusterError) {
        connection = try ClusterError.rethrowing { () throws(ClientError) in
            let lookup = KeyLookup.ofProcess(home: home)
            let access = try lookup.clientAccess(at: coordinator, isInsecure: lookup.isInsecure)
            let options = ClientOptions(version: ProcessInfo.processInfo.processName, to: access)
            return try ClientConnection(endpoint: access.endpoint, options: options)
        }
    }

    /// A client of the coordinator at the other end of a channel.
    @_spi(Baton) public init(channel: any RequestChannel) {
        connection = channel
    }

    /// A queue of the cluster by name; the first operation added to the queue creates the queue.
    public func queue(_ name: String = "default") -> ClusterQueue {
        ClusterQueue(name: name, cluster: self)
    }
}
