@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) import BatonOperations

@Suite("Files that operations leave")
struct KeptFileTests {
    @Test("FI2 A path below a directory is allowed", arguments: SamplePaths.allowed)
    func allowed(path: String) {
        #expect(KeptFile.objection(toPath: path) == nil)
        #expect(KeptFile.objection(to: [SampleDigests.file(path)]) == nil)
    }

    @Test("FI2 A path that leads out of its directory has an objection", arguments: SamplePaths.refused)
    func refused(path: String) {
        #expect(KeptFile.objection(toPath: path)?.isEmpty == false)
        #expect(KeptFile.objection(to: [SampleDigests.file("a"), SampleDigests.file(path)])?.hasSuffix(".") == true)
    }

    @Test("Too many files, and files with too long paths, have an objection that tells the limit")
    func limits() {
        let many = [KeptFile](repeating: SampleDigests.file("a"), count: KeptFile.maximumCount)
        #expect(KeptFile.objection(to: []) == nil && KeptFile.objection(to: many) == nil)
        #expect(KeptFile.objection(to: many + [SampleDigests.file("b")])?.contains("at most 65536") == true)
        let path = String(repeating: "x", count: KeptFile.maximumPartLength)
        let long = [KeptFile](repeating: SampleDigests.file(path), count: KeptFile.maximumPathsLength / path.utf8.count)
        #expect(KeptFile.objection(to: long) == nil)
        #expect(KeptFile.objection(to: long + [SampleDigests.file(path)])?.contains("at most 8388608") == true)
    }

    @Test("A file may be executed if anybody may")
    func executable() {
        for mode in [0o100, 0o010, 0o001, 0o755, 0o555] as [UInt16] {
            #expect(SampleDigests.file("a", mode: mode).isExecutable)
        }
        for mode in [0, 0o644, 0o666] as [UInt16] { #expect(!SampleDigests.file("a", mode: mode).isExecutable) }
    }

    @Test("The end of a dependency keeps that there are files, whichever way it goes")
    func dependencyEnds() {
        var record = OperationRecord(id: OperationID(job: JobNumber(1), index: 2), state: .finished)
        record.outcome = .succeeded
        #expect(record.dependencyEnd?.hasFiles == false)
        record.hasFiles = true
        #expect(record.dependencyEnd == DependencyEnd(.succeeded, hasFiles: true))
        (record.outcome, record.count) = (.failed, 3)
        let end = record.dependencyEnd
        #expect(end?.followsOperation == true)
        let third = OperationID(job: JobNumber(1), index: 4)
        #expect(end?.after(2) == DependencyEnd(.failed(third), hasFiles: true, followsOperation: true))
        let root = OperationID(job: JobNumber(9), index: 0)
        #expect(end?.rooted(at: root) == DependencyEnd(.failed(root), hasFiles: true))
        let plain = DependencyEnd(.succeeded)
        let filed = DependencyEnd(.succeeded, hasFiles: true)
        #expect(DependencyEnd(ofArray: 3, [plain: 2, filed: 1])?.hasFiles == true)
        #expect(DependencyEnd(ofArray: 3, [plain: 3])?.hasFiles == false)
        let failed = DependencyEnd(.failed(root))
        #expect(DependencyEnd(ofArray: 2, [filed: 1, failed: 1]) == DependencyEnd(.failed(root), hasFiles: true))
    }
}
