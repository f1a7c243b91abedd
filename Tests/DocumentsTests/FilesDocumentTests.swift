@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing

/// Tests of the documents of the files that operations left.
@Suite("Documents of files")
struct FilesDocumentTests {
    private static func file(
        _ path: String,
        size: Int64 = 4,
        mode: UInt16 = 0o644,
        holders: [String] = ["w1"],
        copies: Int = 1
    ) throws -> FileDocument {
        let bytes = (0..<UInt8(ContentDigest.length)).map { $0 }
        let digest = try #require(ContentDigest(bytes: bytes))
        let file = KeptFile(path: path, size: size, mode: mode, digest: digest)
        let id = OperationID(job: JobNumber(12), index: 1)
        return FileDocument(file, of: id, name: "sepia", attempt: 2, holders: holders, copies: copies)
    }

    private static let digits = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

    @Test("A page of files has sums, and each file with its mode in octal, its digest and its holders")
    func page() throws {
        let files = [
            try Self.file("out/a.bam", size: 1 << 40, holders: ["w1", "w2"], copies: 2),
            try Self.file("b \"c\"", mode: 0o7, holders: []),
        ]
        let document = FilesDocument(job: JobNumber(12), count: 7, bytes: 1 << 41, files: files, next: 2)
        try expect(
            document,
            writes: #"{"job":12,"count":7,"bytes":2199023255552,"files":["#
                + #"{"operation":"12/1","name":"sepia","path":"out/a.bam","size":1099511627776,"mode":"0644","#
                + #""digest":"\#(Self.digits)","attempt":2,"holders":["w1","w2"],"copies":2,"state":"held"},"#
                + #"{"operation":"12/1","name":"sepia","path":"b \"c\"","size":4,"mode":"0007","#
                + #""digest":"\#(Self.digits)","attempt":2,"holders":[],"copies":1,"state":"lost"}],"next":2}"#
        )
        try expect(
            FilesDocument(job: JobNumber(12), count: 0, bytes: 0, files: [], next: nil),
            writes: #"{"job":12,"count":0,"bytes":0,"files":[],"next":null}"#
        )
    }

    private static let modes: [(UInt16, String)] = [(0, "0000"), (0o7, "0007"), (0o111, "0111"), (0o755, "0755")]

    @Test("A mode has four digits", arguments: modes)
    func octal(_ mode: UInt16, _ text: String) throws {
        #expect(try Self.file("a", mode: mode).mode == text)
    }

    @Test("FI11 Viewers see the names and sizes of files, and no digest")
    func viewers() throws {
        let file = try Self.file("out/a.bam")
        let document = FilesDocument(job: JobNumber(12), count: 1, bytes: 4, files: [file], next: nil)
        let shown = String(decoding: document.json(for: .state), as: UTF8.self)
        #expect(!shown.contains(Self.digits) && shown.contains(#""digest":null"#))
        let hidden = document.withoutContent.files[0]
        #expect(hidden.path == file.path && hidden.size == file.size && hidden.holders == file.holders)
    }

    @Test("An operation has the sums of its files, if it has any; a job has the time for which it keeps files, if any")
    func sums() throws {
        let plain = text(succeeded())
        #expect(!plain.contains(#""files""#))
        var operation = succeeded()
        operation.files = FileTotals(count: 3, bytes: 12_000_000_000)
        let with = #""hasResult":true,"files":{"count":3,"bytes":12000000000},"#
        try expect(operation, writes: plain.replacing(#""hasResult":true,"#, with: with))
        #expect(operation.withoutContent.files == operation.files)
        operation.files?.copies = 2
        let copied = #""hasResult":true,"files":{"count":3,"bytes":12000000000,"copies":2},"#
        try expect(operation, writes: plain.replacing(#""hasResult":true,"#, with: copied))
        func job(_ settings: JobSettings) -> JobDocument {
            JobDocument(
                job: JobNumber(12),
                name: nil,
                state: .finished,
                settings: settings,
                counts: counts,
                operations: [],
                submittedAt: moment(0)
            )
        }
        #expect(job(JobSettings()).keepFiles == nil && !text(job(JobSettings())).contains("keepFiles"))
        #expect(job(JobSettings(keepFiles: .seconds(7200))).keepFiles == "2h")
        #expect(!text(job(JobSettings())).contains("filesLimit"))
        #expect(text(job(JobSettings(filesLimit: 20 << 30))).contains(#""filesLimit":21474836480"#))
    }

    @Test("FI11 The sentence of an operation whose files cannot be kept quotes no pattern to viewers")
    func sentences() {
        var record = OperationRecord(id: OperationID(job: JobNumber(12), index: 1), state: .finished)
        record.outcome = .failed
        record.reason = Reason(.files, "Nothing matches its output \"hunter2/*.bam\".")
        let document = OperationDocument(
            record: record,
            entry: Entry(name: "sepia"),
            queue: "images",
            template: Template(work: Work(.noOperation)),
            item: nil,
            dependencies: [],
            submittedAt: moment(0)
        )
        #expect(document.withoutContent.message == "Its files cannot be kept.")
        #expect(document.withoutContent.reason == .files)
    }
}
