@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("The thread that moves files", .timeLimit(.minutes(60)))
struct FileThreadTests {
    private static func token(_ serial: UInt64) -> AttemptToken { AttemptToken(epoch: 1, serial: serial) }

    @Test("FI3 Files of all sizes arrive as they are, for several attempts, over one connection of each worker")
    func sizes() async throws {
        try await withTemporaryDirectory { directory in
            let pair = try FilePair(directory)
            defer { pair.close() }
            let (relay, holder, receiver) = (pair.relay, pair.holder, pair.receiver)
            let contents = [0, 1, 1000, 262_144, 262_145, 3_000_000].enumerated().map {
                KeptContent(varied: $0.offset, length: $0.element)
            }
            for content in contents { try content.put(in: holder.bench.store) }
            try pair.connect()
            // A worker without files has no connection.
            #expect(relay.peers[receiver.session] == nil)
            try receiver.thread.fetch(contents.map { try $0.input() }, of: Self.token(1))
            try receiver.thread.fetch([contents[5].input(), contents[1].input()], of: Self.token(2))
            try relay.run(asking: holder.session, mailbox: receiver.mailbox) { receiver.outcomes() >= 2 }
            #expect(Set(receiver.fetched) == [Self.token(1), Self.token(2)])
            for content in contents {
                #expect(try receiver.bench.store.holds(content.digest()))
                try receiver.bench.store.link(content.file(), to: directory + "/link")
                #expect(content.isAt(directory + "/link"))
                FileTree.remove(directory + "/link")
            }
            try receiver.bench.check()
            // FI5: what is here is not asked for.
            let requests = relay.requests
            try receiver.thread.fetch([contents[2].input()], of: Self.token(3))
            try relay.run(asking: nil, mailbox: receiver.mailbox) { receiver.outcomes() >= 3 }
            #expect(relay.requests == requests && receiver.fetched.last == Self.token(3))
            #expect(relay.connections == [holder.session: 1, receiver.session: 1])
        }
    }

    @Test("Many small files arrive as they are, with few messages")
    func manySmallFiles() async throws {
        try await withTemporaryDirectory { directory in
            let pair = try FilePair(directory)
            defer { pair.close() }
            let (relay, holder, receiver) = (pair.relay, pair.holder, pair.receiver)
            // Some files fill a message alone, and some are empty.
            let contents = (0..<600).map { number in
                KeptContent(varied: number, length: number % 97 == 5 ? 300_000 : number * 37 % 12_000)
            }
            for content in contents { try content.put(in: holder.bench.store) }
            try pair.connect()
            try receiver.thread.fetch(contents.map { try $0.input() }, of: Self.token(1))
            try relay.run(asking: holder.session, mailbox: receiver.mailbox) { receiver.outcomes() >= 1 }
            #expect(receiver.fetched == [Self.token(1)])
            for content in contents { #expect(try receiver.bench.store.holds(content.digest())) }
            try receiver.bench.check()
            let pieces = contents.count { !$0.bytes.isEmpty } + contents.count { $0.bytes.count > 262_144 }
            #expect(relay.requests == pieces && relay.messages < pieces / 2, "\(relay.messages) of \(pieces)")
        }
    }

    @Test("The connection for files goes to the coordinator that has welcomed the worker last")
    func otherCoordinator() async throws {
        try await withTemporaryDirectory { directory in
            let first = try FileRelay()
            let second = try FileRelay()
            defer { for relay in [first, second] { relay.close() } }
            let holder = try FileBench(directory, 1, at: first.endpoint)
            defer { holder.thread.stop() }
            try KeptContent(varied: 1, length: 1000).put(in: holder.bench.store)
            holder.welcome()
            try first.run(asking: nil) { first.peers[holder.session] != nil }
            let session = SessionID(rawValue: 2)
            holder.thread.welcomed(session, at: second.endpoint)
            try second.run(asking: nil) { second.peers[session] != nil }
            #expect(first.connections == [holder.session: 1] && second.connections == [session: 1])
        }
    }

    @Test("A fetch that takes long is reported, also while nothing more comes")
    func progress() async throws {
        try await withTemporaryDirectory { directory in
            let pair = try FilePair(directory)
            defer { pair.close() }
            let (relay, holder, receiver) = (pair.relay, pair.holder, pair.receiver)
            let content = KeptContent(varied: 1, length: 1_000_000)
            let digest = try content.digest()
            try content.put(in: holder.bench.store)
            // The piece at the end is lost.
            let last = UInt64(3 * 262_144)
            relay.change = { passed in passed.piece.map { $0.offset < last } ?? false ? passed : nil }
            try pair.connect()
            try receiver.thread.fetch([content.input()], of: Self.token(1))
            try relay.run(asking: holder.session, mailbox: receiver.mailbox) {
                receiver.outcomes() > 0 || receiver.arrived == [digest: last]
            }
            #expect(receiver.arrived == [digest: last] && receiver.outcomes() == 0)
        }
    }

    @Test("FI8 A file that is changed on its way is asked for once more, and never kept", arguments: [1, 1000])
    func damage(times: Int) async throws {
        try await withTemporaryDirectory { directory in
            let pair = try FilePair(directory)
            defer { pair.close() }
            let (relay, holder, receiver) = (pair.relay, pair.holder, pair.receiver)
            let content = KeptContent(varied: 1, length: 100_000)
            try content.put(in: holder.bench.store)
            var damaged = 0
            relay.change = { passed in
                guard damaged < times else { return passed }
                damaged += 1
                var passed = passed
                passed.piece?.bytes[7] ^= 1
                return passed
            }
            try pair.connect()
            try receiver.thread.fetch([content.input()], of: Self.token(1))
            try relay.run(asking: holder.session, mailbox: receiver.mailbox) { receiver.outcomes() >= 1 }
            #expect(relay.requests == 2)
            #expect(
                receiver.fetched.count == (times == 1 ? 1 : 0) && receiver.unavailable.count == (times == 1 ? 0 : 1)
            )
            #expect(try receiver.bench.store.holds(content.digest()) == (times == 1))
            try receiver.bench.check()
        }
    }

    @Test("A file that nobody has is told, and fetched once somebody has it")
    func lost() async throws {
        try await withTemporaryDirectory { directory in
            let pair = try FilePair(directory)
            defer { pair.close() }
            let (relay, holder, receiver) = (pair.relay, pair.holder, pair.receiver)
            let content = KeptContent(varied: 2, length: 500)
            try content.put(in: holder.bench.store)
            pair.welcome()
            try receiver.thread.fetch([content.input()], of: Self.token(1))
            try relay.run(asking: nil, mailbox: receiver.mailbox) { receiver.outcomes() >= 1 }
            #expect(receiver.unavailable == [Self.token(1)])
            try relay.run(asking: nil) { relay.peers[holder.session] != nil }
            try receiver.thread.fetch([content.input()], of: Self.token(2))
            try relay.run(asking: holder.session, mailbox: receiver.mailbox) { receiver.outcomes() >= 2 }
            #expect(receiver.fetched == [Self.token(2)] && receiver.failed.isEmpty)
            try receiver.bench.check()
        }
    }

    @Test("After a restart of the coordinator, a file goes on where it was")
    func restart() async throws {
        try await withTemporaryDirectory { directory in
            let pair = try FilePair(directory)
            defer { pair.stop() }
            let (relay, holder, receiver) = (pair.relay, pair.holder, pair.receiver)
            let content = KeptContent(varied: 1, length: 20 << 20)
            try content.put(in: holder.bench.store)
            try pair.connect()
            try receiver.thread.fetch([content.input()], of: Self.token(1))
            try relay.run(asking: holder.session) { relay.pieces >= 40 }
            let first = relay.pieces
            for bench in [holder, receiver] { bench.thread.disconnected() }
            relay.close()
            let next = try FileRelay(at: relay.endpoint)
            defer { next.close() }
            for bench in [holder, receiver] { bench.welcome() }
            // Either worker may connect first. The receiver repeats a request that came before the connection of the holder.
            try next.run(asking: holder.session, mailbox: receiver.mailbox) { receiver.outcomes() >= 1 }
            #expect(receiver.fetched == [Self.token(1)])
            // Only the pieces that were on their way come twice: at most one window of pieces.
            #expect(first + next.pieces <= 80 + 32)
            try receiver.bench.check()
        }
    }
}
