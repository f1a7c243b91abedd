import Foundation
import Glibc
import Synchronization

/// A relay to a server of PostgreSQL that cuts a connection at the end of a transaction, or tells a false process number.
///
/// One thread serves all connections.
package final class CommitRelay: Sendable {
    /// Where the next connection that ends a transaction is cut.
    package enum Cut: Sendable {
        /// Before the server gets the end.
        case beforeTheEnd
        /// After the server has got the end and answered it, of which the client gets nothing.
        case beforeTheAnswer
        /// After the client has got the answer.
        case afterTheAnswer
    }

    private struct State {
        var cut: Cut?
        var cuts = 0
        var isRefusing = false
        var tellsFalseProcess = false
        var isClosed = false
    }

    private struct Pair {
        let client: Int32
        let server: Int32
        /// The cut that waits for the answer of the server.
        var pending: Cut?
        /// Whether the greeting of the server is over, which tells the process number.
        var isGreeted = false
    }

    /// The port that the relay listens at, on this host.
    package let port: UInt16
    private let listener: Int32
    private let target: UInt16
    private let state = Mutex(State())

    /// Listens at a free port.
    ///
    /// - Parameter target: the port of the server, on this host.
    package init(target: UInt16) throws {
        self.target = target
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        var address = Self.address(0)
        let isListening = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isNamed = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) == 0 }
        }
        guard isListening, isNamed, listen(listener, 64) == 0 else {
            Glibc.close(listener)
            throw RelayFailure()
        }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { self.serve() }
    }

    /// Cuts the next connection that ends a transaction.
    package func cut(_ cut: Cut) { state.withLock { $0.cut = cut } }

    /// How many connections were cut at the end of a transaction.
    package var cuts: Int { state.withLock { $0.cuts } }

    /// Whether new connections are refused.
    package var isRefusing: Bool {
        get { state.withLock { $0.isRefusing } }
        set { state.withLock { $0.isRefusing = newValue } }
    }

    /// Whether the clients of new connections get the process number of another session, as behind a pooler.
    package var tellsFalseProcess: Bool {
        get { state.withLock { $0.tellsFalseProcess } }
        set { state.withLock { $0.tellsFalseProcess = newValue } }
    }

    /// Ends all connections, and the thread.
    package func shutDown() { state.withLock { $0.isClosed = true } }

    private func serve() {
        var pairs: [Pair] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        defer {
            for pair in pairs { Self.close(pair) }
            Glibc.close(listener)
        }
        while !state.withLock({ $0.isClosed }) {
            var items = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
            for pair in pairs {
                items.append(pollfd(fd: pair.client, events: Int16(POLLIN), revents: 0))
                items.append(pollfd(fd: pair.server, events: Int16(POLLIN), revents: 0))
            }
            guard poll(&items, nfds_t(items.count), 20) > 0 else { continue }
            let awake = Set(items.filter { $0.revents != 0 }.map(\.fd))
            var living: [Pair] = []
            for var pair in pairs {
                let lives =
                    (!awake.contains(pair.client) || passToServer(&pair, &buffer))
                    && (!awake.contains(pair.server) || passToClient(&pair, &buffer))
                if lives { living.append(pair) } else { Self.close(pair) }
            }
            pairs = living
            if awake.contains(listener) {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { continue }
                if !isRefusing, let server = connect() {
                    pairs.append(Pair(client: client, server: server))
                } else {
                    Glibc.close(client)
                }
            }
        }
    }

    private func passToServer(_ pair: inout Pair, _ buffer: inout [UInt8]) -> Bool {
        let count = read(pair.client, &buffer, buffer.count)
        guard count > 0 else { return false }
        if Self.place(of: Array("COMMIT\0".utf8), in: buffer[..<count]) != nil, let cut = takeCut() {
            guard cut != .beforeTheEnd else { return false }
            pair.pending = cut
        }
        return Self.write(buffer[..<count], to: pair.server)
    }

    private func passToClient(_ pair: inout Pair, _ buffer: inout [UInt8]) -> Bool {
        let count = read(pair.server, &buffer, buffer.count)
        guard count > 0 else { return false }
        if !pair.isGreeted, let place = Self.place(of: Array("K".utf8) + [0, 0, 0, 12], in: buffer[..<count]) {
            pair.isGreeted = true
            // The lowest byte of the process number.
            if tellsFalseProcess, place + 8 < count { buffer[place + 8] ^= 1 }
        }
        switch pair.pending {
        case .beforeTheAnswer?: return false
        case .afterTheAnswer?:
            _ = Self.write(buffer[..<count], to: pair.client)
            return false
        case .beforeTheEnd?, nil: return Self.write(buffer[..<count], to: pair.client)
        }
    }

    private func takeCut() -> Cut? {
        state.withLock { state in
            defer { state.cut = nil }
            if state.cut != nil { state.cuts += 1 }
            return state.cut
        }
    }

    private static func place(of wanted: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= wanted.count else { return nil }
        return (bytes.startIndex...bytes.endIndex - wanted.count).first { bytes[$0...].starts(with: wanted) }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            // Without the signal, which would end the tests: the peer may be gone.
            let written = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }

    private func connect() -> Int32? {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = Self.address(target)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Glibc.connect(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            Glibc.close(socket)
            return nil
        }
        return socket
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }

    private static func close(_ pair: Pair) {
        Glibc.close(pair.client)
        Glibc.close(pair.server)
    }
}

/// The relay found no port to listen at.
struct RelayFailure: Error {}
