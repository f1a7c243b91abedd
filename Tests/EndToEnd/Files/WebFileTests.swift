import Foundation
import Testing

extension EndToEndTests {
    /// Files over HTTP.
    @Suite("Files over HTTP", .timeLimit(.minutes(60)))
    struct WebFileTests {
        /// A job with a text of a million bytes, in lines of 10 bytes, and a file with a name that an address cannot have as it is.
        private func submit(to cluster: TestCluster) async throws -> String {
            try await cluster.startHost("w1")
            let job = try await cluster.submit(
                script: "seq 100000000 100099999 > lines.txt; mkdir 'a b'; echo é > 'a b/ü#?.txt'",
                "--workspace",
                "fresh",
                "--outputs",
                "*.txt",
                "--outputs",
                "a b/"
            )
            #expect(try await cluster.finish(job) == 0)
            return job
        }

        @Test(
            "The files of a job and of an operation are listed as by the command, and each is read with its digest as its tag"
        )
        func whole() async throws {
            try await withCluster(workers: 0, coordinator: TestCluster.withHTTP) { cluster in
                let job = try await submit(to: cluster)
                let token = try await cluster.web().token
                let listed = try await cluster.json("files", job).files
                for path in ["/api/v1/jobs/\(job)/files", "/api/v1/operations/\(job)/0/files"] {
                    let answer = try await cluster.ask("GET", path, token: token)
                    #expect(answer.status == 200)
                    #expect(try answer.json.files == listed, "\(answer)")
                }
                let digests = [String: String](listed.elements.map { ($0.path.string, $0.digest.string) }) { one, _ in
                    one
                }
                let base = "/api/v1/operations/\(job)/0/files"
                let lines = try await cluster.ask("GET", "\(base)/lines.txt", token: token)
                #expect(lines.status == 200 && lines.body == (0..<100_000).map { "\(100_000_000 + $0)\n" }.joined())
                let digest = try #require(digests["lines.txt"])
                #expect(lines.headers.lowercased().contains("etag: \"\(digest)\""), "\(lines.headers)")
                #expect(lines.headers.lowercased().contains("content-length: 1000000"), "\(lines.headers)")
                let named = try await cluster.ask("GET", "\(base)/a%20b/%C3%BC%23%3F.txt", token: token)
                #expect(named.status == 200 && named.body == "é\n", "\(named)")
                let head = try await cluster.ask("HEAD", "\(base)/lines.txt", token: token)
                #expect(head.status == 200 && head.body.isEmpty, "\(head)")
                #expect(head.headers.lowercased().contains("content-length: 1000000"), "\(head.headers)")
            }
        }

        @Test("A range of a file is answered with 206, its place and its bytes")
        func ranges() async throws {
            try await withCluster(workers: 0, coordinator: TestCluster.withHTTP) { cluster in
                let job = try await submit(to: cluster)
                let token = try await cluster.web().token
                let whole = Array((0..<100_000).map { "\(100_000_000 + $0)\n" }.joined().utf8)
                // Within a piece, over the end of one, to the end of the file and beyond it, the last bytes, and all of it.
                let ranges: [(text: String, range: Range<Int>)] = [
                    ("0-9", 0..<10), ("10-29", 10..<30), ("524280-524299", 524_280..<524_300),
                    ("999990-", 999_990..<1_000_000), ("999999-2000000", 999_999..<1_000_000),
                    ("-15", 999_985..<1_000_000), ("0-999999", 0..<1_000_000),
                ]
                for (text, range) in ranges {
                    let answer = try await cluster.ask(
                        "GET",
                        "/api/v1/operations/\(job)/0/files/lines.txt",
                        token: token,
                        options: ["--header", "Range: bytes=\(text)"]
                    )
                    #expect(answer.status == 206, "\(text): \(answer.headers)")
                    #expect(answer.body.utf8.elementsEqual(whole[range]), "\(text)")
                    let place = "content-range: bytes \(range.lowerBound)-\(range.upperBound - 1)/1000000"
                    #expect(answer.headers.lowercased().contains(place), "\(text): \(answer.headers)")
                }
            }
        }

        @Test("A range outside of a file is refused with 416, and what is no file with 404")
        func refused() async throws {
            try await withCluster(workers: 0, coordinator: TestCluster.withHTTP) { cluster in
                let job = try await submit(to: cluster)
                let token = try await cluster.web().token
                let base = "/api/v1/operations/\(job)/0/files"
                let beyond = try await cluster.ask(
                    "GET",
                    "\(base)/lines.txt",
                    token: token,
                    options: ["--header", "Range: bytes=1000000-"]
                )
                #expect(beyond.status == 416, "\(beyond)")
                for path in [
                    "\(base)/other.txt", "\(base)/a%20b", "/api/v1/operations/\(job)/9/files/x", "\(base)/lines.txt/x",
                ] {
                    let answer = try await cluster.ask("GET", path, token: token)
                    #expect(answer.status == 404, "\(path): \(answer)")
                }
                for path in ["\(base)/..%2F..%2Fidentity", "\(base)/%2Fetc%2Fpasswd", "\(base)/%2E%2E/%2E%2E/lock"] {
                    let answer = try await cluster.ask("GET", path, token: token, options: ["--path-as-is"])
                    #expect(answer.status == 404 || answer.status == 400, "\(path): \(answer)")
                }
                try await cluster.leave("w1")
                let away = try await cluster.ask("GET", "\(base)/lines.txt", token: token)
                #expect(away.status >= 400 && !away.body.isEmpty, "\(away)")
            }
        }
    }
}
