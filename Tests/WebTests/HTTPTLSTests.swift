@_spi(Baton) import BatonThreads
import Foundation
import Testing

@_spi(Baton) @testable import BatonWeb

/// The program that makes certificates and is a client; nil where it is missing.
private let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"].first {
    FileManager.default.isExecutableFile(atPath: $0)
}

@Suite(
    "Encrypted connections of the HTTP server",
    .timeLimit(.minutes(60)),
    .enabled(if: openssl != nil, "needs openssl")
)
struct HTTPTLSTests {
    /// A certificate for 127.0.0.1, signed by itself.
    ///
    /// - Parameters:
    ///   - name: the name of its holder.
    ///   - days: how long it is valid.
    private func makeCertificate(of name: String = "127.0.0.1", days: Int = 1) async throws -> HTTPTLS {
        let home = try TemporaryHome()
        let (key, certificate) = (URL(filePath: home.path + "/key"), URL(filePath: home.path + "/certificate"))
        _ = try await run(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                "\(days)", "-subj", "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1",
                "-keyout", key.path, "-out", certificate.path,
            ],
            input: ""
        )
        return HTTPTLS(
            certificate: try String(contentsOf: certificate, encoding: .utf8),
            key: try String(contentsOf: key, encoding: .utf8)
        )
    }

    /// What a run of openssl prints on standard output.
    private func run(_ arguments: [String], input: String) async throws -> String {
        let program = try #require(openssl)
        return try await onOwnThread(named: "test") { () throws(any Error) in
            let process = Process()
            process.executableURL = URL(filePath: program)
            process.arguments = arguments
            let (standardInput, standardOutput) = (Pipe(), Pipe())
            process.standardInput = standardInput
            process.standardOutput = standardOutput
            process.standardError = FileHandle.nullDevice
            try process.run()
            // Not closed before the end: the client would leave with its standard input. A client that the server refuses may have ended
            // before the write, and has no output then.
            try? standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            let output = try standardOutput.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            try standardInput.fileHandleForWriting.close()
            return String(decoding: output, as: UTF8.self)
        }
    }

    /// What an encrypted client gets for a request.
    private func ask(_ server: HTTPServer, _ request: String, _ options: [String] = []) async throws -> String {
        try await run(
            ["s_client", "-quiet", "-no_ign_eof", "-connect", "127.0.0.1:\(server.port)"] + options,
            input: request.replacing("\n", with: "\r\n")
        )
    }

    @Test("Requests and streams are encrypted")
    func requests() async throws {
        var handler = TestHandler(mostBodyBytes: 4)
        handler.respond = { request in
            guard request.head.isEncrypted else { return HTTPResponse(status: 500) }
            guard request.head.path == ["stream"], let stream = request.openStream() else {
                return TestHandler.echo(request)
            }
            Task {
                for number in 0..<100 { stream.write("data: \(number)\n".utf8) }
                stream.end()
            }
            return HTTPResponse(headers: [:], stream: stream)
        }
        let tls = try await makeCertificate()
        let server = try HTTPServer(host: "127.0.0.1", port: 0, tls: tls, limits: .patient, handler: handler)
        let end = "HTTP/1.1\nHost: test\nConnection: close\n"
        #expect(try await ask(server, "GET /a \(end)\n").hasSuffix(#"GET ["a"] [] "#))
        let stream = try await ask(server, "GET /stream \(end)\n")
        #expect(stream.contains("data: 0\n"))
        #expect(stream.contains("data: 99\n"))
        #expect(stream.hasSuffix("0\r\n\r\n"))
        #expect(try await ask(server, "POST / \(end)Content-Length: 5\n\n12345").hasPrefix("HTTP/1.1 413 "))
        // No answer can be sent here without the daemon.
        #expect(try await ask(server, "POST / \(end)Transfer-Encoding: chunked\n\n5\n12345\n") == "")
        await onOwnThread(named: "test") { server.stop() }
        #expect(server.connectionCount == 0)
    }

    @Test("TLS is of version 1.2 at least", arguments: [("1", false), ("1_1", false), ("1_2", true), ("1_3", true)])
    func versions(version: String, isTaken: Bool) async throws {
        let tls = try await makeCertificate()
        let server = try HTTPServer(host: "127.0.0.1", port: 0, tls: tls, limits: .patient, handler: TestHandler())
        let request = "GET /a HTTP/1.1\nHost: test\nConnection: close\n\n"
        // Without this, the client itself refuses old versions.
        let answer = try await ask(server, request, ["-tls\(version)", "-cipher", "DEFAULT:@SECLEVEL=0"])
        #expect(answer.hasPrefix("HTTP/1.1 200 ") == isTaken, "\(answer)")
        await onOwnThread(named: "test") { server.stop() }
    }

    @Test("A client that does not encrypt, or does not go on, loses its connection")
    func plainClient() async throws {
        let limits = HTTPLimits.patient.with(\.requestTime, .milliseconds(200))
        try await withServer(tls: makeCertificate(), limits: limits) { server in
            let plain = try RawClient(port: server.port)
            plain.get("/")
            // Perhaps an alert, but no answer.
            #expect(try !String(decoding: plain.rest(), as: UTF8.self).contains("HTTP"))
            #expect(try RawClient(port: server.port).rest() == [])
        }
    }

    /// The name of the holder of the certificate that a new client is shown.
    private func holder(of server: HTTPServer) async throws -> String {
        let text = try await run(
            ["s_client", "-connect", "127.0.0.1:\(server.port)"],
            input: "GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"
        )
        let line = text.split(separator: "\n").first { $0.hasPrefix("subject=") }
        return String(try #require(line, "\(text)").split(separator: "=").last ?? "").trimmingCharacters(
            in: .whitespaces
        )
    }

    @Test("A renewed certificate is shown to new clients, while a stream of an earlier one goes on")
    func renewed() async throws {
        let (began, goes) = (Latch<Void>(), Latch<Void>())
        var handler = TestHandler()
        handler.respond = { request in
            guard request.head.path == ["stream"], let stream = request.openStream() else {
                return TestHandler.echo(request)
            }
            Task {
                stream.write("first\n".utf8)
                began.open()
                await goes.value()
                stream.write("last\n".utf8)
                stream.end()
            }
            return HTTPResponse(headers: [:], stream: stream)
        }
        let first = try await makeCertificate(of: "one")
        let server = try HTTPServer(host: "127.0.0.1", port: 0, tls: first, limits: .patient, handler: handler)
        #expect(try await holder(of: server) == "one")
        async let stream = ask(server, "GET /stream HTTP/1.1\nHost: test\nConnection: close\n\n")
        await began.value()
        for name in ["two", "three", "four"] {
            try server.replaceCertificate(by: try await makeCertificate(of: name))
            #expect(try await holder(of: server) == name)
        }
        goes.open()
        let text = try await stream
        #expect(text.contains("first\n") && text.contains("last\n"), "\(text)")
        await onOwnThread(named: "test") { server.stop() }
    }

    @Test("A certificate that cannot be used replaces none", arguments: 0..<4)
    func unusableReplacement(number: Int) async throws {
        let (good, other) = (try await makeCertificate(of: "one"), try await makeCertificate(of: "two"))
        let bad = [
            HTTPTLS(certificate: "", key: ""), HTTPTLS(certificate: "none", key: good.key),
            HTTPTLS(certificate: good.certificate, key: "none"), HTTPTLS(certificate: good.certificate, key: other.key),
        ][number]
        let server = try HTTPServer(host: "127.0.0.1", port: 0, tls: good, limits: .patient, handler: TestHandler())
        do {
            try server.replaceCertificate(by: bad)
            Issue.record("the certificate was replaced")
        } catch {
            #expect(error.code == .tlsUnusable && error.description.contains(": "), "\(error)")
        }
        #expect(try await holder(of: server) == "one")
        await onOwnThread(named: "test") { server.stop() }
    }

    @Test("A certificate tells when it expires, and another text does not")
    func expiration() async throws {
        let before = Int64(Date().timeIntervalSince1970)
        let end = try #require(try await makeCertificate(days: 3).expiration())
        #expect((before + 3 * 86_400 - 5...before + 3 * 86_400 + 600).contains(end), "\(end)")
        #expect(try HTTPTLS(certificate: "none", key: "").expiration() == nil)
    }

    @Test("A certificate that cannot be used is told", arguments: 0..<4)
    func unusable(number: Int) async throws {
        let (good, other) = (try await makeCertificate(), try await makeCertificate())
        let bad = [
            HTTPTLS(certificate: "", key: ""), HTTPTLS(certificate: "none", key: good.key),
            HTTPTLS(certificate: good.certificate, key: "none"), HTTPTLS(certificate: good.certificate, key: other.key),
        ][number]
        do {
            _ = try HTTPServer(host: "127.0.0.1", port: 0, tls: bad, handler: TestHandler())
            Issue.record("a server has started")
        } catch {
            #expect(error.code == .tlsUnusable)
            #expect(error.description.contains(": "))
        }
    }
}
