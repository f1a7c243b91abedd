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
    private let target: UInt16
    private let listener: Int32
    private let current = Mutex(Mode.forwarding)

    /// The time between two looks at the mode, in milliseconds.
    private static let interval: Int32 = 20

    /// Listens at a free port.
    package init(target: UInt16, using random: inout some RandomNumberGenerator) throws {
        self.target = target
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
                    (!awake.contains(pair.worker) || Self.pass(from: pair.worker, to: pair.coordinator, &buffer))
                    && (!awake.contains(pair.coordinator)
                        || Self.pass(from: pair.coordinator, to: pair.worker, &buffer))
                if !lives { Self.close(pair) }
                return lives
            }
            if awake.contains(listener) {
                let worker = accept(listener, nil, nil)
                guard worker >= 0 else { continue }
                if mode == .forwarding, let coordinator = Sockets.connect(port: target) {
                    pairs.append((worker, coordinator))
                } else {
                    Glibc.close(worker)
                }
            }
        }
    }

    /// Passes on the available bytes; false at the end of either side.
    private static func pass(from source: Int32, to sink: Int32, _ buffer: inout [UInt8]) -> Bool {
        let count = read(source, &buffer, buffer.count)
        guard count > 0 else { return false }
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
