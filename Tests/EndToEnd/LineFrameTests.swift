import CBatonLine
import Testing

@_spi(Baton) @testable import baton_cli
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

@Suite("Messages between a line of make and with-job")
struct LineFrameTests {
    private static let frames = [
        LineFrame(.key), LineFrame(.standardOutput, [0]), LineFrame(.exit, number: -1),
        LineFrame(.note, Array(repeating: 7, count: 300)), LineFrame(.written), LineFrame(.death, number: 15),
        LineFrame(.call, (0..<5_000).map { UInt8(truncatingIfNeeded: $0) }), LineFrame(.refusal),
    ]

    @Test("The kinds have the numbers of the program that is written in C")
    func kinds() {
        let kinds = [
            CLINE_CALL, CLINE_WRITTEN, CLINE_UNWRITABLE, CLINE_SIGNAL, CLINE_KEY, CLINE_STANDARD_OUTPUT,
            CLINE_STANDARD_ERROR, CLINE_NOTE, CLINE_EXIT, CLINE_DEATH, CLINE_REFUSAL, CLINE_ATTEMPT,
        ]
        #expect(LineFrame.Kind.allCases.map { UInt32($0.rawValue) } == kinds.map(\.rawValue))
    }

    @Test(
        "Frames come out as they went in, in whatever pieces they arrive",
        arguments: [1, 2, 4, 5, 6, 7, 64, 4_096, 1 << 20]
    )
    func pieces(length: Int) throws {
        let bytes = Self.frames.flatMap(\.bytes)
        var reader = LineFrameReader()
        var found: [LineFrame] = []
        for start in stride(from: 0, to: bytes.count, by: length) {
            bytes[start..<min(start + length, bytes.count)].withUnsafeBytes { reader.append($0) }
            while let frame = try reader.next() { found.append(frame) }
        }
        #expect(found == Self.frames)
        #expect(try reader.next() == nil)
    }

    @Test(
        "A number comes out of a frame with a number, and of no other one",
        arguments: [0, 1, -1, 143, .max, .min] as [Int32]
    )
    func numbers(number: Int32) {
        #expect(LineFrame(.exit, number: number).number == number)
        #expect(LineFrame(.exit, [1]).number == nil)
        #expect(LineFrame(.exit, [1, 2, 3, 4, 5]).number == nil)
    }

    @Test(
        "Bytes of an unknown kind, and of a length that no frame has, are refused",
        arguments: [[0, 0, 0, 0, 0], [200, 0, 0, 0, 0], [1, 255, 255, 255, 255]] as [[UInt8]]
    )
    func malformed(bytes: [UInt8]) {
        var reader = LineFrameReader()
        bytes.withUnsafeBytes { reader.append($0) }
        #expect(throws: LineFrameReader.Malformed.self) { try reader.next() }
    }

    /// A call as the program sends it.
    private static func call(
        _ numbers: [UInt32]? = nil,
        mask: UInt32 = 0o22,
        directories: [String] = ["/src", "/home/src"],
        words: [String] = ["-c", "true"],
        variables: [String] = []
    ) -> [UInt8] {
        let counts = [UInt32(CLINE_PROTOCOL), mask, UInt32(words.count), UInt32(variables.count)]
        let texts: [UInt8] = (directories + words + variables).flatMap { Array($0.utf8) + [0] }
        let head: [UInt8] = (numbers ?? counts).flatMap { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        return head + texts
    }

    @Test("A call gives the submission of make-shell, with the usual variables left out")
    func request() throws {
        let variables = [
            "PATH=/tmp/x:/bin", "A=1", "A=2", "BATON_HOME=/h", "PWD=/src", "MAKEFLAGS= -j2 --jobserver-auth=3,4", "X=",
        ]
        let request = try #require(LineRequest(Self.call(mask: 0o27, words: ["-ec", "echo a"], variables: variables)))
        #expect(request.environment["BATON_HOME"] == Array("/h".utf8))
        let work = try #require(request.submission(without: "/tmp/x/lines", onOmission: { _, _ in })?.templates.first)
            .work
        #expect(work.kind == .commands([["/bin/sh", "-ec", "echo a"]]))
        #expect(work.directory == "/src" && work.umask == FileMask(rawValue: 0o27))
        #expect(work.environment == ["PATH": "/bin", "A": "1", "MAKEFLAGS": "", "X": ""])
    }

    @Test(
        "The directory of a server is left out of PATH, wherever a recipe has put it",
        arguments: [
            ("/tmp/x:/bin", "/tmp/x/lines", "/bin"), ("/a:/tmp/x:/bin", "/tmp/x/lines", "/a:/bin"),
            ("/a:/tmp/x", "/tmp/x/lines", "/a"), ("/tmp/x:", "/tmp/x/lines", ""), ("/tmp/x::/b", "/tmp/x/lines", ":/b"),
            ("/tmp/xy:/tmp/x/z", "/tmp/x/lines", "/tmp/xy:/tmp/x/z"), (":/bin", "/lines", ":/bin"),
            ("/bin", "", "/bin"),
        ]
    )
    func places(value: String, socket: String, rest: String) {
        #expect(LineServer.places(in: value, without: socket) == rest)
    }

    @Test("The directory is PWD only if that is a plain path", arguments: ["", "src", "/a/../src", "/a/./src"])
    func directory(given: String) throws {
        let request = try #require(LineRequest(Self.call(directories: [given, "/real"])))
        #expect(request.directory == "/real")
    }

    @Test(
        "A line that make-shell refuses, or that runs make, has no submission",
        arguments: [
            [], ["-c"], ["true"], ["--json", "-c", "true"], ["-h"], ["--shell", "", "-c", "true"],
            ["-c", "cd x && make"],
            ["--shell", "-c", "true", "x"],
        ]
    )
    func refused(words: [String]) throws {
        #expect(
            try #require(LineRequest(Self.call(words: words))).submission(without: "", onOmission: { _, _ in }) == nil
        )
    }

    @Test(
        "Bytes that are no call are refused",
        arguments: [
            [], [0], Array(repeating: 0, count: 16), LineFrameTests.call([1, 0, 2, 0]),
            LineFrameTests.call([3, 0, 2, 0]),
            LineFrameTests.call([2, 0, 3, 0]),
            LineFrameTests.call([2, 0, .max, .max]),
            Array(LineFrameTests.call().dropLast()),
        ] as [[UInt8]]
    )
    func noCall(bytes: [UInt8]) {
        #expect(LineRequest(bytes) == nil)
    }

    @Test("What another process has written of a stream is not written again", arguments: [0, 1, 3, 10, 99])
    func written(count: Int) throws {
        let line = try #require(LostLine("key 1 \(count) 0 15"))
        #expect(line.key == "key" && line.signal == 15)
        let all = (0..<100).map { UInt8($0) }
        var rest: [UInt8] = []
        for start in stride(from: 0, to: 100, by: 7) {
            rest += line.written.rest(of: Array(all[start..<min(start + 7, 100)]), .standardOutput, attempt: 1)
        }
        #expect(rest == Array(all[count...]))
        #expect(line.written.rest(of: all, .standardError, attempt: 1) == all)
    }

    @Test(
        "What another process has written of one attempt is not left out of a later one",
        arguments: [1, 2, 7] as [UInt32]
    )
    func writtenAttempt(attempt: UInt32) throws {
        let written = try #require(LostLine("key \(attempt) 2 3 0")).written
        for stream in OutputStream.allCases {
            for earlier in 0..<attempt { #expect(written.rest(of: [1, 2, 3, 4], stream, attempt: earlier).isEmpty) }
            #expect(written.rest(of: [1, 2, 3, 4], stream, attempt: attempt + 1) == [1, 2, 3, 4])
        }
        #expect(written.rest(of: [1, 2, 3, 4], .standardOutput, attempt: attempt) == [3, 4])
        #expect(written.rest(of: [1, 2, 3, 4], .standardError, attempt: attempt) == [4])
    }

    @Test(
        "A text that tells of no lost line is none",
        arguments: ["", "key", "key 1 2 3", "key 1 a 0 0", "key -1 0 0 0", "key 1 2 3 4 5"]
    )
    func noLostLine(text: String) {
        #expect(LostLine(text) == nil)
    }
}
