import Foundation
import Synchronization
import Testing

@_spi(Baton) @testable import BatonWeb

/// Ticks that a test makes.
final class TestTicks: Sendable {
    private struct State {
        /// The number of the last wait.
        var waits = 0
        /// How many waits can be ended.
        var begun = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var observers: [Int: Latch<Void>] = [:]
    }

    private let state = Mutex(State())
    private let made = Mutex(0)

    /// The pace of a board.
    var pace: LivePace {
        LivePace { [self] in
            let number = state.withLock { state in
                state.waits += 1
                return state.waits
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let observer = state.withLock { state in
                        state.waiting[number] = continuation
                        state.begun = max(state.begun, number)
                        return state.observers.removeValue(forKey: number)
                    }
                    observer?.open()
                    if Task.isCancelled { release { $0 == number } }
                }
            } onCancel: {
                release { $0 == number }
            }
        }
    }

    /// Waits until all that a number of ticks causes is done; 0 stands for the beginning.
    private func untilDone(_ tick: Int) async {
        let latch = state.withLock { state -> Latch<Void>? in
            // A wait has a number before its continuation.
            guard state.begun <= tick else { return nil }
            let latch = state.observers[tick + 1] ?? Latch()
            state.observers[tick + 1] = latch
            return latch
        }
        await latch?.value()
    }

    /// Waits until the first look is done.
    func untilBegun() async { await untilDone(0) }

    /// Makes ticks one after the other, each once all that the one before causes is done, and waits for the last one.
    func make(_ count: Int = 1) async {
        for _ in 0..<count {
            let number = made.withLock { $0 }
            await untilDone(number)
            made.withLock { $0 += 1 }
            release { _ in true }
            await untilDone(number + 1)
        }
    }

    /// Makes a tick without waiting for its effect; for the last tick of a test, after which the feed stops.
    func makeLast() async {
        await untilDone(made.withLock { $0 })
        made.withLock { $0 += 1 }
        release { _ in true }
    }

    private func release(_ isChosen: (Int) -> Bool) {
        let waiting = state.withLock { state in
            let chosen = state.waiting.filter { isChosen($0.key) }
            for number in chosen.keys { state.waiting[number] = nil }
            return chosen.values
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// A stream whose bytes a test takes, in place of a client.
final class TestStream: Sendable {
    let stream: HTTPStream
    private let handle: HTTPConnectionHandle

    convenience init() throws {
        let head = try HTTPRequestHead(method: "GET", target: "/", headers: [:], peer: HTTPPeer(address: "127.0.0.1"))
        try self.init(#require(HTTPRequest(head: head).openStream()))
    }

    init(_ stream: HTTPStream) throws {
        self.stream = stream
        // The handle leads to no connection: the stream uses it only to suspend, which happens when no bytes are pending, and tests take
        // bytes only while some are pending.
        handle = HTTPConnectionHandle(
            library: try HTTPLibrary.load(HTTPLibrary.usualNames),
            pointer: try #require(OpaquePointer(bitPattern: 8))
        )
    }

    /// Takes what waits.
    func take() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while stream.pendingByteCount > 0 {
            guard case .bytes(let count) = buffer.withUnsafeMutableBytes({ stream.take(into: $0, suspending: handle) })
            else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Takes what waits, as names and data of events, without comments and other fields.
    func takeEvents() -> [TestEvent] { TestEvent.all(in: take()) }
}

/// An event of a stream.
struct TestEvent: Hashable, CustomStringConvertible {
    var name: String
    var data: String
    var id: String?

    var description: String { "\(name) \(data)" }

    /// The events of a text; comments and times to wait are left out.
    static func all(in text: String) -> [TestEvent] {
        text.components(separatedBy: "\n\n").compactMap { block in
            var fields: [String: String] = [:]
            for line in block.split(separator: "\n") {
                let parts = line.split(separator: ":", maxSplits: 1)
                fields[String(parts[0])] = parts.count > 1 ? String(parts[1].dropFirst()) : ""
            }
            guard let name = fields["event"], let data = fields["data"] else { return nil }
            return TestEvent(name: name, data: data, id: fields["id"])
        }
    }
}
