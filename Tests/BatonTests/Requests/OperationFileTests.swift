@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
import Dispatch
import Foundation
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import Baton

@Suite("Files of a program's operations")
struct OperationFileTests {
    /// A new directory, which is removed with the test.
    private final class Place {
        let path = FileManager.default.temporaryDirectory.appending(path: "baton-files-\(UUID().uuidString)").path

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func text(_ name: String) -> String? {
            FileManager.default.contents(atPath: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The SHA-256 of `abc`, the content of all files here.
    private static let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    private static let job = """
        {"job":12,"name":"nightly","outcome":"succeeded","counts":{"succeeded":3},"progress":1,"operations":[\
        {"operation":"12/0","name":"align","queue":"q","state":"finished","outcome":"succeeded","index":null},\
        {"operation":"12/1","name":"many","queue":"q","state":"finished","outcome":"succeeded","index":7},\
        {"operation":"12/2","name":null,"queue":"q","state":"finished","outcome":"succeeded","index":null}],"next":null}
        """

    private static func file(
        _ operation: String,
        _ path: String,
        digest: String? = Self.digest,
        isLost: Bool = false
    ) -> String {
        let digest = digest.map { "\"\($0)\"" } ?? "null"
        let state = isLost ? #""holders":[],"state":"lost""# : #""holders":["w1","w2"],"state":"held""#
        let facts = #""path":"\#(path)","size":3,"mode":"0755","digest":\#(digest),"attempt":2"#
        return #"{"operation":"\#(operation)","name":null,\#(facts),\#(state)}"#
    }

    /// A coordinator whose job has files, one on each page.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - missing: the path of a file that nobody has.
    ///   - onPiece: called on the thread that asks for bytes of a file.
    private func channel(
        _ files: [String],
        missing: String? = nil,
        onPiece: @escaping @Sendable () -> Void = {}
    ) -> AnsweringChannel {
        AnsweringChannel { request in
            if case .filePiece = request { onPiece() }
            return switch request {
            case .document(.job): .document(Array(Self.job.utf8))
            case .document(.files(_, let from, _)):
                .document(
                    Array(
                        """
                        {"job":12,"count":\(files.count),"bytes":9,"files":[\(files.dropFirst(Int(from)).first ?? "")],\
                        "next":\(Int(from) + 1 < files.count ? "\(from + 1)" : "null")}
                        """.utf8
                    )
                )
            case .filePiece(_, let path, let offset, _):
                path == missing
                    ? .refused(Refusal(.unavailable, "Nobody has \(path)."))
                    : .filePiece(FilePiece(offset: offset, size: 3, bytes: Array("abc".utf8.dropFirst(Int(offset)))))
            default: .refused(Refusal(.notFound, "There is no such thing."))
            }
        }
    }

    private var files: [String] {
        [
            Self.file("12/0", "out/a.bam"), Self.file("12/1", "b"), Self.file("12/2", "c", isLost: true),
        ]
    }

    @Test("A job lists the files of its operations over all pages")
    func list() async throws {
        let job = try await channel(files).makeCluster().job(12)
        let found = try await job.files
        #expect(found.map(\.path) == ["out/a.bam", "b", "c"])
        #expect(found.map(\.operation.index) == [0, 1, 2])
        #expect(found.map(\.isLost) == [false, false, true])
        let first = try #require(found.first)
        #expect(first.size == 3 && first.permissions == 0o755 && first.digest == Self.digest && first.attempt == 2)
        #expect(first.holders == ["w1", "w2"])
        #expect(try await channel([]).makeCluster().job(12).files.isEmpty)
    }

    @Test("FI10 A job's files come to a directory for each operation")
    func job() async throws {
        let place = Place()
        let job = try await channel(files).makeCluster().job(12)
        let paths = try await job.fetchFiles(to: place.path)
        let names = ["align/out/a.bam", "many.7/b", "2/c"]
        #expect(paths == names.map { "\(place.path)/\($0)" })
        for name in names { #expect(place.text(name) == "abc") }
    }

    @Test("FI10 An operation's files come to their paths")
    func operation() async throws {
        let place = Place()
        let job = try await channel([Self.file("12/0", "out/a.bam")]).makeCluster().job(12)
        let operation = try #require(try await job.operations.first)
        #expect(try await operation.files.count == 1)
        #expect(try await operation.fetchFiles(to: place.path + "/") == ["\(place.path)/out/a.bam"])
        #expect(place.text("out/a.bam") == "abc")
    }

    @Test("FI10 A file that is missing is an error, after the others have come", arguments: ["out/a.bam", "b", "c"])
    func missing(path: String) async throws {
        let place = Place()
        let job = try await channel(files, missing: path).makeCluster().job(12)
        let error = await #expect(throws: ClusterError.self) { try await job.fetchFiles(to: place.path) }
        #expect(error?.code == .unavailable && error?.message == "Nobody has \(path).")
        let names = ["out/a.bam": "align/out/a.bam", "b": "many.7/b", "c": "2/c"]
        for (name, written) in names { #expect((place.text(written) == nil) == (name == path)) }
    }

    @Test("A disk that does not answer holds up one fetch, and neither others nor calls that block")
    func hangingDisk() async throws {
        let gate = DispatchSemaphore(value: 0)
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let held = Place()
        let path = held.path
        let hanging = channel(files) {
            arrival.yield()
            gate.wait()
        }
        let job = try await hanging.makeCluster().job(12)
        let fetch = Task { try await job.fetchFiles(to: path) }
        for await _ in arrivals { break }

        let other = Place()
        let cluster = channel(files).makeCluster()
        #expect(try await cluster.job(12).fetchFiles(to: other.path).count == 3)
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try cluster.flush() }) }
        }
        #expect(held.text("align/out/a.bam") == nil)

        for _ in files { gate.signal() }
        #expect(try await fetch.value.count == 3)
        #expect(held.text("align/out/a.bam") == "abc")
    }

    @Test("FI11 A viewer sees files and cannot fetch them; a directory that cannot be written is told")
    func refused() async throws {
        let place = Place()
        let viewed = try await channel([Self.file("12/0", "a", digest: nil)]).makeCluster().job(12)
        #expect(try await viewed.files.first?.digest == nil)
        let refusal = await #expect(throws: ClusterError.self) { try await viewed.fetchFiles(to: place.path) }
        #expect(refusal?.code == .notAllowed)
        try Data().write(to: URL(filePath: place.path))
        let job = try await channel(files).makeCluster().job(12)
        let obstacle = await #expect(throws: ClusterError.self) { try await job.fetchFiles(to: place.path) }
        #expect(obstacle?.code == .file && obstacle?.message.contains(place.path) == true)
    }
}
