@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonTelemetry

@Suite("Answers of receivers of spans", .timeLimit(.minutes(60)))
struct ExportOutcomeTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private let now = Timestamp(rawValue: 784_111_777_000_000)

    private func outcome(_ status: Int, _ headers: [String: String] = [:], _ body: String = "") -> ExportOutcome {
        ExportOutcome(of: HTTPAnswer(status: status, headers: headers, body: Array(body.utf8)), at: now)
    }

    @Test("A success may have rejected some of the spans, and may say something")
    func success() {
        #expect(outcome(200) == .accepted(rejected: 0, message: nil))
        #expect(outcome(299) == .accepted(rejected: 0, message: nil))
        #expect(outcome(202, [:], "{}") == .accepted(rejected: 0, message: nil))
        #expect(outcome(200, [:], "no JSON") == .accepted(rejected: 0, message: nil))
        #expect(
            outcome(200, [:], #"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}"#)
                == .accepted(rejected: 3, message: "too old")
        )
        #expect(outcome(200, [:], #"{"partialSuccess":{"rejectedSpans":2}}"#) == .accepted(rejected: 2, message: nil))
        #expect(
            outcome(200, [:], #"{"partialSuccess":{"rejectedSpans":"-1","errorMessage":""}}"#)
                == .accepted(rejected: 0, message: nil)
        )
        #expect(outcome(200, [:], #"{"partialSuccess":{"rejectedSpans":-1}}"#) == .accepted(rejected: 0, message: nil))
    }

    @Test("Receivers that are not able now are asked again", arguments: [429, 502, 503, 504])
    func again(status: Int) {
        #expect(outcome(status) == .again(after: nil))
        #expect(outcome(status, ["retry-after": "7"]) == .again(after: .seconds(7)))
        #expect(outcome(status, ["retry-after": "7 (busy)"]) == .again(after: .seconds(7)))
        #expect(outcome(status, ["retry-after": "0"]) == .again(after: .zero))
        #expect(outcome(status, ["retry-after": "99999999999999"]) == .again(after: ExportOutcome.longestPause))
        #expect(outcome(status, ["retry-after": "soon"]) == .again(after: nil))
        #expect(outcome(status, ["retry-after": "-5"]) == .again(after: nil))
        #expect(outcome(status, ["retry-after": "Sun, 06 Nov 1994 08:50:00 GMT"]) == .again(after: .seconds(23)))
        #expect(outcome(status, ["retry-after": "Sat, 05 Nov 1994 08:50:00 GMT"]) == .again(after: .zero))
        #expect(
            outcome(status, ["retry-after": "Thu, 29 Feb 1996 00:00:00 GMT"])
                == .again(after: ExportOutcome.longestPause)
        )
    }

    @Test("Dates are read with their leap days and leap seconds, and other texts are none")
    func dates() {
        func seconds(_ text: String) -> Int64? { HTTPDate.moment(text).map { $0.rawValue / 1_000_000 } }
        #expect(seconds("Thu, 29 Feb 1996 00:00:00 GMT") == 825552000)
        #expect(seconds("Wed, 01 Mar 2000 12:30:60 GMT") == 951913860)
        for text in [
            "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1969 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        ] { #expect(seconds(text) == nil) }
    }

    @Test("Other answers are final, for the spans or for the exporter")
    func final() {
        #expect(outcome(413) == .tooLarge)
        for status in [400, 406, 415, 422, 500, 501, 600] {
            #expect(outcome(status) == .refused(message: "status \(status)"))
        }
        #expect(outcome(400, [:], #"{"code":3,"message":"bad id"}"#) == .refused(message: "status 400: bad id"))
        #expect(outcome(400, [:], "first line\nsecond") == .refused(message: "status 400: first line"))
        for body in [#"{"code":3}"#, #"{"message":""}"#, "é\nb"] {
            #expect(outcome(400, [:], body) == .refused(message: "status 400"))
        }
        func isUnusable(_ outcome: ExportOutcome, _ word: String, isPermission wanted: Bool) -> Bool {
            guard case .unusable(let reason, let advice, let isPermission) = outcome else { return false }
            return (reason + advice).contains(word) && isPermission == wanted
        }
        for status in [401, 403] {
            #expect(isUnusable(outcome(status), "OTEL_EXPORTER_OTLP_HEADERS", isPermission: true))
        }
        for status in [404, 405] { #expect(isUnusable(outcome(status), "--endpoint", isPermission: false)) }
        for status in [300, 399] { #expect(isUnusable(outcome(status), "elsewhere", isPermission: false)) }
        #expect(isUnusable(outcome(301, ["location": "http://there/"]), "http://there/", isPermission: false))
    }

    @Test("What a receiver says is shown in part, without control characters")
    func words() {
        let long = "\u{1B}" + String(repeating: "x", count: 9_000)
        let shown = long.asShown
        let text = #"\u001b"# + long.dropFirst()
        #expect(
            outcome(200, [:], #"{"partialSuccess":{"errorMessage":"\#(text)"}}"#)
                == .accepted(rejected: 0, message: shown)
        )
        #expect(outcome(400, [:], #"{"message":"\#(text)"}"#) == .refused(message: "status 400: \(shown)"))
        #expect(outcome(400, [:], long) == .refused(message: "status 400: \(shown)"))
        guard case .unusable(let reason, _, _) = outcome(301, ["location": long]) else {
            Issue.record("a redirection is followed")
            return
        }
        #expect(reason == "it is elsewhere (status 301, location \(shown))")
    }

    @Test("Pauses become longer up to a bound, differ, respect what is asked for, and begin anew after a success")
    func pauses() {
        var pauses = RetryPauses(seed: 1)
        var longest = RetryPauses.first
        for failure in 1...100 {
            let pause = pauses.next(asked: nil)
            #expect(pause >= longest / 2 && pause <= longest && pauses.failures == failure)
            longest = min(longest * 2, RetryPauses.longest)
        }
        #expect(pauses.next(asked: .seconds(100)) == .seconds(100))
        #expect(pauses.next(asked: .seconds(1 << 40)) == ExportOutcome.longestPause)
        #expect(pauses.next(asked: .seconds(1)) >= RetryPauses.longest / 2)
        pauses.reset()
        #expect(pauses.failures == 0 && pauses.next(asked: nil) <= RetryPauses.first)
        var other = RetryPauses(seed: 2)
        #expect(
            (0..<5).map { _ in other.next(asked: nil) }
                != {
                    var p = RetryPauses(seed: 3); return (0..<5).map { _ in p.next(asked: nil) }
                }()
        )
    }
}

@Suite("Answers over HTTP", .timeLimit(.minutes(60)))
struct HTTPAnswerTests {
    /// Reads an answer that arrives in pieces of a length.
    private func read(_ text: String, by length: Int, closes: Bool = true) throws -> HTTPAnswer? {
        var reader = HTTPAnswerReader()
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let piece = rest.prefix(length)
            rest = rest.dropFirst(length)
            if let answer = try reader.add(piece, isLast: false) { return answer }
        }
        return closes ? try reader.add([], isLast: true) : nil
    }

    @Test("An answer is read in pieces of any length, with each way of ending a body", arguments: [1, 2, 7, 1000])
    func whole(length: Int) throws {
        let sized = "HTTP/1.1 503 Service Unavailable\r\nRetry-After:  7\r\nCONTENT-LENGTH: 5\r\n\r\nhello"
        let answer = HTTPAnswer(
            status: 503,
            headers: ["retry-after": "7", "content-length": "5"],
            body: Array("hello".utf8)
        )
        #expect(try read(sized, by: length, closes: false) == answer)
        let chunked =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: x\r\n\r\n"
        #expect(try read(chunked, by: length, closes: false)?.body == Array("hello".utf8))
        #expect(try read("HTTP/1.0 200 OK\r\n\r\nhello", by: length)?.body == Array("hello".utf8))
        #expect(try read("HTTP/1.0 200 OK\r\n\r\nhello", by: length, closes: false) == nil)
        #expect(try read("HTTP/1.1 204 No Content\r\n\r\n", by: length, closes: false)?.status == 204)
        let unmodified = "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"
        #expect(try read(unmodified, by: length, closes: false)?.status == 304)
        let coded = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, CHUNKED\r\n\r\n1\r\na\r\n0\r\n\r\n"
        #expect(try read(coded, by: length, closes: false)?.body == Array("a".utf8))
        // Spaces around a value are no part of it.
        #expect(try read("HTTP/1.1 200 OK\r\nContent-Length: \t 2 \t\r\n\r\n{}", by: 5)?.body == Array("{}".utf8))
        let interim =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"
        #expect(try read(interim, by: length, closes: false)?.status == 200)
    }

    @Test("The status counts, even if the body is cut or longer than anybody reads")
    func cut() throws {
        #expect(try read("HTTP/1.1 400 Bad\r\nContent-Length: 50\r\n\r\nhel", by: 4)?.body == Array("hel".utf8))
        #expect(
            try read("HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n50\r\nhel", by: 4)?.body
                == Array("hel".utf8)
        )
        #expect(
            try read("HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n", by: 4)?.body
                == Array("hel".utf8)
        )
        let long = String(repeating: "x", count: 2 * HTTPAnswerReader.mostBytes)
        let chunked = "\(String(long.utf8.count, radix: 16))\r\n\(long)\r\n"
        let endless = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunked)"
        #expect(try read(endless, by: 1000, closes: false)?.body.count == HTTPAnswerReader.mostBytes)
        let huge = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffff\r\n\(long)"
        #expect(try read(huge, by: 1000, closes: false)?.body.count == HTTPAnswerReader.mostBytes)
        for line in ["", "2\r\nab"] {
            let endless = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(line)\(long)"
            #expect(throws: HTTPAnswerError.self) { try read(endless, by: 1000, closes: false) }
        }
        for head in [
            "", "Content-Length: \(long.utf8.count)\r\n", "Content-Length: \(10 * long.utf8.count)\r\n",
        ] {
            let answer = try read("HTTP/1.1 200 OK\r\n\(head)\r\n\(long)", by: 1000, closes: false)
            #expect(answer?.body.count == HTTPAnswerReader.mostBytes)
        }
    }

    @Test(
        "What is no answer is an error",
        arguments: [
            "", "HTTP/1.1 200 OK\r\nX: y\r\n", "SSH-2.0-x\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 20\r\n\r\n",
            "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 099\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        ]
    )
    func malformed(text: String) {
        #expect(throws: HTTPAnswerError.self) { try read(text, by: 3) }
    }

    @Test("A head without an end is an error before it is all read")
    func endless() {
        let text = "HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: HTTPAnswerReader.mostBytes)
        #expect(throws: HTTPAnswerError.self) { try read(text, by: 1000, closes: false) }
    }
}
