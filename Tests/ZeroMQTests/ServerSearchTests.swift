@_spi(Baton) import BatonTestSockets
@_spi(Baton) import BatonThreads
import Glibc
import Testing

@_spi(Baton) @testable import BatonZeroMQ

@Suite("The search for a server", .timeLimit(.minutes(60)))
struct ServerSearchTests {
    let context: Context

    init() throws {
        context = try Context()
    }

    private func finding(_ addresses: String..., last: Set<String> = []) throws -> ServerSearch.Finding {
        let target = try #require(Endpoint(FakeNames.endpoint, for: .connecting))
        return ServerSearch(for: target, resolver: FakeNames(addresses).resolver, patience: patience)
            .finding(trying: last)
    }

    /// An endpoint whose process has ended.
    private func refusing() throws -> String {
        let router = try boundRouter(in: try Context(), at: LoopbackAddress.unique())
        let endpoint = try router.lastEndpoint
        router.close()
        router.context.terminate()
        return endpoint
    }

    @Test("The first address that accepts a connection is found, whatever the others do")
    func first() throws {
        let (one, two) = (try boundRouter(in: context), try boundRouter(in: context))
        let (first, second, dead) = (try one.lastEndpoint, try two.lastEndpoint, try refusing())
        #expect(try finding(first, second) == .server(first))
        #expect(try finding(dead, second) == .server(second))
        #expect(try finding(first, second, last: [first]) == .server(second))
        #expect(try finding(dead, second, last: [second]) == .server(second))
    }

    @Test("An address that stays silent does not hold up the next one")
    func silentFirst() throws {
        let full = try FullListener()
        let router = try boundRouter(in: context)
        #expect(try finding(full.endpoint, try router.lastEndpoint) == .server(try router.lastEndpoint))
        let target = try #require(Endpoint(full.endpoint, for: .connecting))
        let search = ServerSearch(for: target, resolver: .system, patience: .milliseconds(20))
        #expect(search.finding() == .silent)
    }

    @Test("A search tells an unknown host from one that refuses")
    func failures() throws {
        #expect(try finding() == .unknownHost)
        #expect(try finding(try refusing(), try refusing()) == .refused)
        let unknown = try #require(Endpoint("tcp://no-such-host.invalid:7461", for: .connecting))
        #expect(ServerSearch(for: unknown, resolver: .system, patience: patience).finding() == .unknownHost)
    }

    @Test("A name with an IPv6 address alone is reached", .enabled(if: hasIPv6, "the host has no IPv6"))
    func onlyIPv6() throws {
        let router = try boundRouter(in: context, at: "tcp://[::1]:*")
        let endpoint = try router.lastEndpoint
        #expect(try finding(endpoint) == .server(endpoint))
        let dealer = try Socket(.dealer, in: context)
        try dealer.connect(endpoint)
        #expect(try dealer.send([7]) == .sent)
        #expect(try router.awaitRouted().message.bytes == [7])
    }

    @Test("A search that blocks does so on its own thread")
    func ownThread() async throws {
        let (asked, release) = (AsyncStream<Void>.makeStream(), SemaphoreBell())
        let router = try boundRouter(in: context)
        let names = FakeNames([try router.lastEndpoint]) {
            asked.continuation.yield()
            release.wait()
        }
        let target = try #require(Endpoint(FakeNames.endpoint, for: .connecting))
        let findings = AsyncStream<ServerSearch.Finding>.makeStream()
        try ServerSearch(for: target, resolver: names.resolver, patience: patience)
            .start { findings.continuation.yield($0) }
        var iterator = asked.stream.makeAsyncIterator()
        await iterator.next()
        release.ring()
        var found = findings.stream.makeAsyncIterator()
        #expect(await found.next() == .server(try router.lastEndpoint))
    }
}

/// Whether the host has IPv6 on its loopback interface.
let hasIPv6: Bool = {
    guard let context = try? Context() else { return false }
    return (try? boundRouter(in: context, at: "tcp://[::1]:*")) != nil
}()

/// A listener without room for a further connection, which a host answers with silence.
private final class FullListener {
    let endpoint: String
    private let listener: Int32
    private var connections: [Int32] = []

    /// More connections than the kernel keeps for a backlog of 0.
    private static let count = 4

    init() throws {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
        listener = socket(AF_INET, type, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        var connections: [Int32] = []
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard bind(descriptor, pointer, length) == 0, listen(descriptor, 0) == 0,
                    getsockname(descriptor, pointer, &length) == 0
                else { return false }
                for _ in 0..<Self.count {
                    connections.append(socket(AF_INET, type, 0))
                    _ = connect(connections[connections.count - 1], pointer, length)
                }
                return true
            }
        }
        self.connections = connections
        endpoint = "tcp://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        guard isListening else { throw Overdue() }
    }

    deinit {
        for connection in connections { close(connection) }
        close(listener)
    }
}
