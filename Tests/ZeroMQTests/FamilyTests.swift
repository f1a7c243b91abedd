import Foundation
import Testing
@_spi(Baton) import BatonZeroMQ

@Suite("Families of addresses", .timeLimit(.minutes(60)))
struct FamilyTests {
    let context: Context

    init() throws {
        context = try Context()
    }

    /// Sends a message to a router, and returns the address that the router sees.
    private func sender(to router: Socket, at endpoint: String) throws -> String? {
        let dealer = try Socket(.dealer, in: context)
        try dealer.connect(endpoint)
        #expect(try dealer.send([1]) == .sent)
        return try router.awaitRouted().message.peerAddress
    }

    @Test("All addresses are those of both families", .enabled(if: hasIPv6, "the host has no IPv6"))
    func wildcard() throws {
        let router = try boundRouter(in: context, at: "tcp://*:*")
        let endpoint = try #require(Endpoint(try router.lastEndpoint, for: .listening))
        #expect(endpoint.isWildcard && endpoint.host == "::")
        // The router sees ::ffff:127.0.0.1.
        #expect(try sender(to: router, at: "tcp://127.0.0.1:\(endpoint.port)") == "127.0.0.1")
        #expect(try sender(to: router, at: "tcp://[::1]:\(endpoint.port)") == "::1")
    }

    @Test("All addresses of one family are no more than that")
    func oneFamily() throws {
        let router = try boundRouter(in: context, at: "tcp://0.0.0.0:*")
        let endpoint = try #require(Endpoint(try router.lastEndpoint, for: .listening))
        #expect(endpoint.isWildcard && endpoint.host == "0.0.0.0")
        #expect(try sender(to: router, at: "tcp://127.0.0.1:\(endpoint.port)") == "127.0.0.1")
    }

    @Test("A port in use is refused for all addresses, too")
    func inUse() throws {
        let router = try boundRouter(in: context, at: "tcp://*:*")
        let endpoint = try #require(Endpoint(try router.lastEndpoint, for: .listening))
        let second = try Socket(.router, in: context)
        let error = try #require(throws: ZeroMQError.self) { try second.bind("tcp://*:\(endpoint.port)") }
        #expect(error.reason == .addressInUse)
    }

    @Test("Both ends of a connection send probes to a silent peer, long before a firewall forgets the connection")
    func keepAlive() throws {
        let router = try Socket(.router, in: context)
        let watch = try AcceptWatch(of: router)
        try router.bind("tcp://127.0.0.1:*")
        let endpoint = try router.lastEndpoint
        let dealer = try dealer(connectedTo: router)
        #expect(try dealer.send([1]) == .sent)
        _ = try router.awaitRouted()
        guard case .accepted(let accepted)? = try watch.next() else { throw Overdue() }
        let connected = try #require(try Self.descriptor(connectedTo: endpoint))
        for descriptor in [accepted, connected] {
            #expect(Self.option(SOL_SOCKET, SO_KEEPALIVE, of: descriptor) == 1)
            #expect(Self.option(Int32(IPPROTO_TCP), TCP_KEEPIDLE, of: descriptor) == 60)
            #expect(Self.option(Int32(IPPROTO_TCP), TCP_KEEPINTVL, of: descriptor) == 15)
            #expect(Self.option(Int32(IPPROTO_TCP), TCP_KEEPCNT, of: descriptor) == 4)
        }
    }

    private static func option(_ level: Int32, _ option: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, level, option, &value, &size) == 0 ? value : nil
    }

    /// The descriptor of this process that is connected to an endpoint.
    private static func descriptor(connectedTo endpoint: String) throws -> Int32? {
        let port = endpoint.split(separator: ":").last.flatMap { UInt16($0) }
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        return descriptors.first { descriptor in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
            }
            return code == 0 && address.sin_family == sa_family_t(AF_INET)
                && UInt16(bigEndian: address.sin_port) == port
        }
    }
}
