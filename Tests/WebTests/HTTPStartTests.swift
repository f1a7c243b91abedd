import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The start of the HTTP server", .timeLimit(.minutes(60)))
struct HTTPStartTests {
    private func failure(
        host: String = "127.0.0.1",
        port: Int = 0,
        names: [String] = HTTPLibrary.usualNames
    ) -> HTTPServerError? {
        do {
            _ = try HTTPServer(host: host, port: port, handler: TestHandler(), libraryNames: names)
            return nil
        } catch {
            return error
        }
    }

    @Test("A missing library is one sentence that names the remedy")
    func missingLibrary() throws {
        let error = try #require(failure(names: ["libbaton-is-not-there.so.1", "/nowhere/libmicrohttpd.so"]))
        #expect(error.code == .libraryMissing)
        #expect(error.description.contains("/nowhere/libmicrohttpd.so: cannot open shared object file"))
        #expect(error.description.contains("apt-get install libmicrohttpd12"))
    }

    @Test("A library without the functions is refused")
    func otherLibrary() throws {
        let error = try #require(failure(names: ["libc.so.6"]))
        #expect(error.code == .libraryMissing)
        #expect(error.description.contains("MHD_"))
    }

    @Test("The first library that can be loaded is taken")
    func secondLibrary() {
        #expect(failure(names: ["libbaton-is-not-there.so.1"] + HTTPLibrary.usualNames) == nil)
    }

    @Test("An address in use is told, and is free again after a stop")
    func addressInUse() throws {
        // An address of its own, where no other test takes the port that becomes free.
        let host = "127.0.0.9"
        let first = try HTTPServer(host: host, port: 0, handler: TestHandler())
        #expect(failure(host: host, port: first.port)?.code == .addressInUse)
        first.stop()
        let second = try HTTPServer(host: host, port: first.port, handler: TestHandler())
        #expect(second.port == first.port)
    }

    @Test(
        "An address that cannot be is told",
        arguments: [
            ("203.0.113.1", 0, .addressNotAvailable), ("localhost", 0, .badAddress), ("", 0, .badAddress),
            ("127.0.0.1", 65_536, .badAddress), ("127.0.0.1", -1, .badAddress), ("127.0.0.1:80", 1, .badAddress),
            ("[127.0.0.1", 1, .badAddress),
        ] as [(String, Int, HTTPServerError.Code)]
    )
    func badAddress(host: String, port: Int, code: HTTPServerError.Code) {
        #expect(failure(host: host, port: port)?.code == code)
    }

    @Test("Addresses of IPv6 work, where the host has them", arguments: ["::1", "[::1]", "::"])
    func newAddresses(host: String) async throws {
        let peers = Latch<HTTPPeer>()
        var handler = TestHandler()
        handler.respond = { request in
            peers.set(request.head.peer)
            return TestHandler.echo(request)
        }
        do {
            try await withServer(host: host, handler) { server in
                let client = try RawClient(port: server.port, host: host == "::" ? "127.0.0.1" : "::1")
                client.get("/")
                #expect(try client.answer().status == 200)
                #expect(try peers.wait() == HTTPPeer(address: host == "::" ? "127.0.0.1" : "::1"))
            }
        } catch let error as HTTPServerError where error.code == .addressNotAvailable {
            print("This host has no IPv6; the test is skipped.")
        }
    }
}
