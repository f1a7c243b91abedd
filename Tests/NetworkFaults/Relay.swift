import Foundation
import Glibc
import Synchronization

/// A relay of TCP connections to the coordinator that simulates a broken network by silence or refusal, or a slow one.
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
        /// Passes on at most so many bytes of each of the first connections, each way, in every ``interval``.
        ///
        /// Later connections are not slowed, so that a peer that wrongly connects again is found out, and waits for nothing.
        case trickling(bytes: Int, connections: Int)
    }

    /// A connection to the relay, and the relay's own to the coordinator.
    private struct Pair {
        let worker: Int32
        let coordinator: Int32
        /// The number of connections before.
        let number: Int
    }

    /// The port that the relay listens at.
    package let port: UInt16
    private let host: String
    private let target: UInt16
    private let listener: Int32
    private let current = Mutex(Mode.forwarding)
    private let accepted = Mutex(0)
    private let capture: Capture?

    /// The time between two looks at the mode, and between two turns of slow connections.
    package static let interval = Duration.milliseconds(20)
    /// The bytes that the kernel keeps for a slow connection: a peer shall not lose its bytes to the relay at once.
    private static let slowBuffer: Int32 = 16 << 10

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

    /// The number of connections so far.
    package var connectionCount: Int { accepted.withLock { $0 } }

    private func serve() {
        var pairs: [Pair] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var nextSlowTurn = ContinuousClock.now
        while true {
            let mode = mode
            if case .refusing = mode {
                for pair in pairs { Self.close(pair) }
                pairs = []
            }
            var items: [pollfd] = []
            if !mode.isSilent { items.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0)) }
            let isSlowTurn = nextSlowTurn <= .now
            if isSlowTurn { nextSlowTurn = .now + Self.interval }
            if mode.passesBytes {
                for pair in pairs where isSlowTurn || !mode.isSlow(pair.number) {
                    items.append(pollfd(fd: pair.worker, events: Int16(POLLIN), revents: 0))
                    items.append(pollfd(fd: pair.coordinator, events: Int16(POLLIN), revents: 0))
                }
            }
            let patience = max(.zero, min(Self.interval, nextSlowTurn - .now))
            guard poll(&items, nfds_t(items.count), Int32(patience / .milliseconds(1)) + 1) > 0 else { continue }
            let awake = Set(items.filter { $0.revents != 0 }.map(\.fd))
            pairs = pairs.filter { pair in
                let most = mode.most(of: pair.number) ?? buffer.count
                let lives =
                    (!awake.contains(pair.worker) || pass(.toServer, of: pair, &buffer, atMost: most))
                    && (!awake.contains(pair.coordinator) || pass(.fromServer, of: pair, &buffer, atMost: most))
                if !lives { Self.close(pair) }
                return lives
            }
            if awake.contains(listener) {
                let worker = accept(listener, nil, nil)
                guard worker >= 0 else { continue }
                if mode.passesBytes, let coordinator = Sockets.connect(port: target, at: host) {
                    let number = accepted.withLock { count in
                        defer { count += 1 }
                        return count
                    }
                    if mode.isSlow(number) {
                        for end in [worker, coordinator] { Sockets.limitReceiveBuffer(of: end, to: Self.slowBuffer) }
                    }
                    pairs.append(Pair(worker: worker, coordinator: coordinator, number: number))
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
        of pair: Pair,
        _ buffer: inout [UInt8],
        atMost most: Int
    ) -> Bool {
        let (source, sink) =
            direction == .toServer ? (pair.worker, pair.coordinator) : (pair.coordinator, pair.worker)
        let count = read(source, &buffer, min(most, buffer.count))
        guard count > 0 else { return false }
        capture?.add(buffer[..<count], direction, of: pair.worker)
        var done = 0
        while done < count {
            let written = buffer.withUnsafeBytes {
                // Without the signal, which would end the tests: the peer may be gone.
                send(sink, $0.baseAddress?.advanced(by: done), count - done, Int32(MSG_NOSIGNAL))
            }
            guard written > 0 else { return false }
            done += written
        }
        return true
    }

    private static func close(_ pair: Pair) {
        Glibc.close(pair.worker)
        Glibc.close(pair.coordinator)
    }
}

extension Relay.Mode {
    /// Whether bytes and new connections pass.
    fileprivate var passesBytes: Bool {
        switch self {
        case .forwarding, .trickling: true
        case .silent, .refusing: false
        }
    }

    fileprivate var isSilent: Bool { if case .silent = self { true } else { false } }

    /// The most bytes to pass on in a turn of a connection; nil for any number.
    fileprivate func most(of connection: Int) -> Int? {
        guard case .trickling(let bytes, let connections) = self, connection < connections else { return nil }
        return bytes
    }

    fileprivate func isSlow(_ connection: Int) -> Bool { most(of: connection) != nil }
}
