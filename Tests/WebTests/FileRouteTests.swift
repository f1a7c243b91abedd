@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The routes of files", .timeLimit(.minutes(60)))
struct FileRouteTests {
    private static let operation = OperationID(job: JobNumber(12), index: 3)
    private static let digits = String(repeating: "0a", count: ContentDigest.length)
    private static let path = "out/a b.bam"
    private static let target = "/api/v1/operations/12/3/files/out/a%20b.bam"

    /// A coordinator whose operation has left a file.
    ///
    /// - Parameters:
    ///   - pieceLength: the most bytes of an answer.
    ///   - isViewer: whether it answers a viewer.
    ///   - end: where the bytes cannot be had any more.
    private func cluster(
        _ bytes: [UInt8],
        pieceLength: Int = .max,
        isViewer: Bool = false,
        until end: UInt64 = .max
    ) throws -> PreparedCluster {
        let digest = try #require(ContentDigest(hexadecimal: Self.digits))
        let file = KeptFile(path: Self.path, size: Int64(bytes.count), mode: 0o644, digest: digest)
        return PreparedCluster { question in
            switch question.request {
            case .document(.files(_, let from, let limit)):
                // The file stands on the second page.
                let other = KeptFile(path: "out/\(from)", size: 1, mode: 0o755, digest: digest)
                let listed = from == 0 ? other : file
                let document = FilesDocument(
                    job: Self.operation.job,
                    count: 2,
                    bytes: 1,
                    files: [FileDocument(listed, of: Self.operation, name: nil, attempt: 1, holders: ["w1"])],
                    next: from == 0 ? limit : nil
                )
                return .document(document.json(for: isViewer ? .state : .everything))
            case .filePiece(.operation(Self.operation), let path, let offset, let limit):
                guard !isViewer else { return .refused(Refusal(.notAllowed, "A viewer reads no files.")) }
                guard path == Self.path, offset < end else { return .refused(Refusal(.unavailable, "Nobody has it.")) }
                let part = bytes[Int(offset)...].prefix(min(Int(limit), pieceLength))
                return .filePiece(FilePiece(offset: offset, size: UInt64(bytes.count), bytes: Array(part)))
            default: return .refused(Refusal(.notFound, "There is no such thing."))
            }
        }
    }

    /// All bytes of an answer, and whether its end came in order.
    private func body(of answer: HTTPResponse) async throws -> [UInt8] {
        switch answer.body {
        case .bytes(let bytes): return bytes
        case .stream(let stream):
            let client = try TestStream(stream)
            var text = ""
            while stream.write([]) || stream.pendingByteCount > 0 {
                text += client.take()
                await Task.yield()
            }
            return Array(text.utf8)
        }
    }

    @Test("FI11 The files of a job and of an operation are listed in pages", arguments: ["jobs/12", "operations/12/3"])
    func list(of address: String) async throws {
        let cluster = try cluster([1])
        let web = try TestInterface(cluster)
        let answer = try await web.ask("GET", "/api/v1/\(address)/files?from=1000&limit=20")
        #expect(answer.status == 200 && answer.text.contains(#""path":"out/a b.bam""#), "\(answer.text)")
        let asked = cluster.requests
        let wanted: Address = address.hasPrefix("jobs") ? .job(Self.operation.job) : .operation(Self.operation)
        #expect(asked == [.document(.files(wanted, from: 1000, limit: 20))])
    }

    @Test("A file comes in pieces, with its length and its digest", arguments: [1, 3, 100])
    func whole(pieceLength: Int) async throws {
        let text = Array("0123456789abcdef".utf8)
        let web = try TestInterface(cluster(text, pieceLength: pieceLength))
        let answer = try await web.ask("GET", Self.target)
        #expect(answer.status == 200 && answer.length == 16)
        #expect(answer.headers["ETag"] == "\"\(Self.digits)\"")
        #expect(answer.headers["Content-Disposition"] == "attachment; filename=\"a b.bam\"")
        #expect(try await body(of: answer) == text)
    }

    @Test(
        "A part comes with its place",
        arguments: [
            ("bytes=0-3", 206, "0123", "bytes 0-3/16"), ("bytes=14-", 206, "ef", "bytes 14-15/16"),
            ("bytes=-3", 206, "def", "bytes 13-15/16"), ("bytes=4-999", 206, "456789abcdef", "bytes 4-15/16"),
            ("bytes=16-", 416, "", "bytes */16"), ("bytes=0-1,4-5", 200, "0123456789abcdef", nil),
            ("lines=0-1", 200, "0123456789abcdef", nil),
        ] as [(String, Int, String, String?)]
    )
    func part(range: String, status: Int, text: String, place: String?) async throws {
        let web = try TestInterface(cluster(Array("0123456789abcdef".utf8), pieceLength: 5))
        let answer = try await web.ask("GET", Self.target, headers: ["Range": range])
        #expect(answer.status == status && answer.headers["Content-Range"] == place, "\(answer.headers)")
        guard status < 400 else { return }
        #expect(answer.length == UInt64(text.utf8.count))
        #expect(try await body(of: answer) == Array(text.utf8))
    }

    @Test("Who has the version gets no bytes, and a part is only of the version that is meant")
    func versions() async throws {
        let cluster = try cluster(Array("0123456789abcdef".utf8))
        let web = try TestInterface(cluster)
        let (own, other) = ("\"\(Self.digits)\"", "\"1b\"")
        for known in [own, "*", "\(other), W/\(own)"] {
            let answer = try await web.ask("GET", Self.target, headers: ["If-None-Match": known])
            #expect(answer.status == 304 && answer.headers["ETag"] == own && answer.stream == nil)
        }
        #expect(!cluster.requests.contains { if case .filePiece = $0 { true } else { false } })
        let same = try await web.ask("GET", Self.target, headers: ["Range": "bytes=0-1", "If-Range": own])
        #expect(same.status == 206)
        same.stream?.discard()
        let changed = try await web.ask("GET", Self.target, headers: ["Range": "bytes=0-1", "If-Range": other])
        #expect(changed.status == 200 && changed.length == 16)
        changed.stream?.discard()
    }

    @Test("HEAD has the length of the whole file, and reads one byte")
    func head() async throws {
        let cluster = try cluster(Array("0123456789abcdef".utf8))
        let web = try TestInterface(cluster)
        let answer = try await web.ask("HEAD", Self.target, headers: ["Range": "bytes=0-1"])
        #expect(answer.status == 200 && answer.length == 16)
        #expect(cluster.requests.last == .filePiece(.operation(Self.operation), path: Self.path, offset: 0, limit: 1))
        answer.stream?.discard()
    }

    @Test("An empty file is an answer without bytes, for which nobody is asked")
    func empty() async throws {
        let cluster = try cluster([])
        let web = try TestInterface(cluster)
        let answer = try await web.ask("GET", Self.target)
        #expect(answer.status == 200 && answer.stream == nil && answer.text.isEmpty)
        #expect(try await web.ask("GET", Self.target, headers: ["Range": "bytes=0-"]).status == 416)
    }

    @Test("FI11 A viewer sees names and sizes, and no bytes")
    func viewer() async throws {
        let web = try TestInterface(cluster([1, 2], isViewer: true))
        let list = try await web.ask("GET", "/api/v1/operations/12/3/files")
        #expect(list.status == 200 && list.text.contains(#""digest":null"#), "\(list.text)")
        #expect(try await web.ask("GET", Self.target).status == 403)
        #expect(try await web.ask("HEAD", Self.target).status == 403)
    }

    @Test("A file that nobody has may come back, and one that is cut ends before its length")
    func missing() async throws {
        let text = Array("0123456789abcdef".utf8)
        let away = try await TestInterface(cluster(text, until: 0)).ask("GET", Self.target)
        #expect(away.status == 503 && away.headers["Retry-After"] == "10", "\(away.text)")
        let cut = try await TestInterface(cluster(text, pieceLength: 4, until: 8)).ask("GET", Self.target)
        let stream = try #require(cut.stream)
        #expect(cut.status == 200 && cut.length == 16)
        let client = try TestStream(stream)
        var received = ""
        while stream.write([]) {
            received += client.take()
            await Task.yield()
        }
        #expect(received.utf8.count <= 8 && "01234567".hasPrefix(received))
        stream.discard()
        let unknown = try await TestInterface(cluster(text)).ask("GET", "/api/v1/operations/12/3/files/out/b")
        #expect(unknown.status == 404 && unknown.text.contains("out/b"), "\(unknown.text)")
    }

    @Test("The path of a file has any number of segments, and is not taken from the routes above it")
    func paths() {
        let path = RoutePath("/api/v1/operations/{job}/{operation}/files/{path}")
        #expect(path.match(["api", "v1", "operations", "12", "3", "files", "a"])?[.path] == "a")
        #expect(path.match(["api", "v1", "operations", "12", "3", "files", "a", "b", "c d"])?[.path] == "a/b/c d")
        #expect(path.match(["api", "v1", "operations", "12", "3", "files", "a", ""])?[.path] == "a/")
        #expect(path.match(["api", "v1", "operations", "12", "3", "files"]) == nil)
        #expect(path.match(["api", "v1", "operations", "12", "3", "files", ""]) == nil)
        #expect(path.match(["api", "v1", "operations", "12", "3", "result", "a"]) == nil)
    }

    @Test(
        "A range is read as RFC 9110 has it",
        arguments: [
            ("bytes=0-0", 1, .part(0..<1)), ("Bytes = 0-", 5, .whole), ("BYTES=1-", 5, .part(1..<5)),
            ("bytes= 1 - 2 ", 5, .part(1..<3)), ("bytes=-9", 5, .part(0..<5)), ("bytes=-0", 5, .unsatisfiable),
            ("bytes=-", 5, .whole), ("bytes=3-2", 5, .whole), ("bytes=x-2", 5, .whole), ("bytes", 5, .whole),
            ("bytes=+1-2", 5, .whole), ("bytes=1-2-3", 5, .whole), ("bytes=5-", 5, .unsatisfiable),
            ("bytes=0-", 0, .unsatisfiable), ("bytes=-1", 0, .unsatisfiable),
            ("bytes=0-99999999999999999999999", 5, .part(0..<5)), ("bytes=99999999999999999999999-", 5, .unsatisfiable),
        ] as [(String, UInt64, ByteRange)]
    )
    func ranges(header: String, size: UInt64, range: ByteRange) {
        #expect(ByteRange(header, size: size) == range)
    }

    @Test(
        "A browser gets a name that no character of can break the header",
        arguments: [
            ("out/a.bam", #"attachment; filename="a.bam""#),
            ("a\"b\\c%.txt", #"attachment; filename="a_b_c_.txt"; filename*=UTF-8''a%22b%5Cc%25.txt"#),
            ("x/ä\r\n", #"attachment; filename="____"; filename*=UTF-8''%C3%A4%0D%0A"#),
        ]
    )
    func names(path: String, header: String) {
        #expect(AnswerFileName(path).disposition == header)
    }
}
