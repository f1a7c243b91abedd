import Synchronization

/// The bytes of the connections through a relay, as somebody on the path sees them.
package final class Capture: Sendable {
    /// The direction of bytes.
    package enum Direction: Sendable {
        case toServer, fromServer
    }

    /// The bytes of one connection.
    package struct Connection: Sendable {
        package var toServer: [UInt8] = []
        package var fromServer: [UInt8] = []
    }

    private struct State {
        var connections: [Connection] = []
        /// The position of the last connection of a descriptor.
        var positions: [Int32: Int] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// All connections so far, in the order of their beginnings.
    package var connections: [Connection] { state.withLock { $0.connections } }

    func begin(_ descriptor: Int32) {
        state.withLock { state in
            state.positions[descriptor] = state.connections.count
            state.connections.append(Connection())
        }
    }

    func add(_ bytes: ArraySlice<UInt8>, _ direction: Direction, of descriptor: Int32) {
        state.withLock { state in
            guard let position = state.positions[descriptor] else { return }
            switch direction {
            case .toServer: state.connections[position].toServer += bytes
            case .fromServer: state.connections[position].fromServer += bytes
            }
        }
    }
}
