import Foundation
import Glibc
import Synchronization

/// A relay of TCP connections to the coordinator that simulates a broken network by silence or refusal.
///
/// One thread serves all connections.
package final class Relay: Sendable {
    /// The behaviour for incoming bytes and connections.
    package enum Mode: Sendable {
        /// Passes everything on.
        case forwarding
        /// Holds all bytes back without notice: they arrive after the relay forwards again.
        case silent
        /// Ends connections, and accepts no others.
        case refusing
    }

    /// The port that the relay listens at.
    package let port: UInt16
    private let host: String
    private let target: UInt16
    private let listener: Int32
    private let current = Mutex(Mode.forwarding)
    private let capture: Capture?

    /// The time between two looks at the mode, in milliseconds.
    private static let interval: Int32 = 20

    /// Listens at a free port.
    ///
    /// - Parameters:
    ///   - host: the loopback address of the server.
    ///   - target: the port of the server.
    ///   - capture: keeps all bytes that the relay passes on.
    package init(
        host: String = Sockets.loopback,
        target: UInt16,
        using random: inout some RandomNumberGenerator,
        capture: Capture? = nil
    ) throws {
        self.host = host
        self.target = target
        self.capture = capture
        (listener, port) = try Sockets.listenAtFreePort(using: &random)
        Thread.detachNewThread { self.serve() }
    }

    /// The present mode; a change takes effect within some milliseconds.
    package var mode: Mode {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    private func serve() {
        var pairs: [(worker: Int32, coordinator: Int32)] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let mode = mode
            if mode == .refusing {
                for pair in pairs { Self.close(pair) }
                pairs = []
            }
            var items: [pollfd] = []
            if mode != .silent { items.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0)) }
            if mode == .forwarding {
                for pair in pairs {
                    items.append(pollfd(fd: pair.worker, events: Int16(POLLIN), revents: 0))
                    items.append(pollfd(fd: pair.coordinator, events: Int16(POLLIN), revents: 0))
                }
            }
            guard poll(&items, nfds_t(items.count), Self.interval) > 0 else { continue }
            let awake = Set(items.filter { $0.revents != 0 }.map(\.fd))
            pairs = pairs.filter { pair in
                let lives =
                    (!awake.contains(pair.worker) || pass(.toServer, of: pair, &buffer))
                    && (!awake.contains(pair.coordinator) || pass(.fromServer, of: pair, &buffer))
                if !lives { Self.close(pair) }
                return lives
            }
            if awake.contains(listener) {
                let worker = accept(listener, nil, nil)
                guard worker >= 0 else { continue }
                if mode == .forwarding, let coordinator = Sockets.connect(port: target, at: host) {
                    pairs.append((worker, coordinator))
                    capture?.begin(worker)
                } else {
                    Glibc.close(worker)
                }
            }
        }
    }

    /// Passes on the available bytes; false at the end of either side.
    private func pass(
        _ direction: Capture.Direction,
        of pair: (worker: Int32, coordinator: Int32),
        _ buffer: inout [UInt8]
    ) -> Bool {
        let (source, sink) =
            direction == .toServer ? (pair.worker, pair.coordinator) : (pair.coordinator, pair.worker)
        let count = read(source, &buffer, buffer.count)
        guard count > 0 else { return false }
        capture?.add(buffer[..<count], direction, of: pair.worker)
        var done = 0
        while done < count {
            let written = buffer.withUnsafeBytes { send(sink, $0.baseAddress?.advanced(by: done), count - done, 0) }
            guard written > 0 else { return false }
            done += written
        }
        return true
    }

    private static func close(_ pair: (worker: Int32, coordinator: Int32)) {
        Glibc.close(pair.worker)
        Glibc.close(pair.coordinator)
    }
}
