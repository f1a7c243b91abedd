import Testing

@_spi(Baton) import BatonOperations

@Suite("Options about files")
struct FileOptionTests {
    private func refusal(_ kind: Work.Kind, _ change: (inout Work) -> Void) -> String? {
        var work = Work(kind)
        change(&work)
        do throws(Refusal) {
            try Submission(templates: [Template(work: work)], entries: [Entry()]).validated()
            return nil
        } catch {
            return error.code == .invalid ? error.message : "another code"
        }
    }

    private let command = Work.Kind.commands([["true"]])

    @Test("FI1 Commands may have outputs, and what runs no command may not")
    func outputs() {
        #expect(refusal(command) { $0.outputs = ["*.bam", "report/", "x?"] } == nil)
        #expect(refusal(.typed(type: "t", argument: [])) { $0.outputs = ["a"] }?.contains("is for commands") == true)
        #expect(refusal(.noOperation) { $0.outputs = ["a"] }?.contains("without a command has outputs") == true)
        #expect(
            refusal(command) { $0.outputs = ["a", "../b"] }?.hasPrefix("The list of outputs has \"../b\", which has the part")
                == true
        )
        let many = [String](repeating: "a", count: OutputPattern.maximumCount)
        #expect(refusal(command) { $0.outputs = many } == nil)
        #expect(refusal(command) { $0.outputs = many + ["b"] }?.contains("more than 1000 patterns") == true)
    }

    @Test("A fresh workspace is for commands without a directory")
    func workspace() {
        #expect(refusal(command) { $0.workspace = .fresh } == nil)
        #expect(
            refusal(command) {
                $0.workspace = .fresh
                $0.directory = "/tmp"
            }?.contains("has the directory \"/tmp\" and a fresh workspace") == true
        )
        #expect(refusal(.typed(type: "t", argument: [])) { $0.workspace = .fresh }?.contains("is for commands") == true)
    }

    @Test("A work without outputs answers without a look at its options, and needs no newer worker")
    func quick() {
        var work = Work(command)
        #expect(!work.keepsFiles && work.outputs.isEmpty && work.workspace == .shared && work.neededOptionVersion == 1)
        work.umask = .usual
        #expect(!work.keepsFiles)
        work.outputs = ["a"]
        #expect(work.keepsFiles && work.neededOptionVersion == 7)
        work.workspace = .fresh
        work.outputs = []
        work.umask = nil
        #expect(!work.keepsFiles && work.neededOptionVersion == 7)
        work.workspace = .shared
        #expect(work == Work(command))
    }

    @Test("The hook of an operation leaves no files, and runs where its worker does")
    func hooks() {
        var work = Work(command)
        work.outputs = ["a"]
        work.workspace = .fresh
        let hook = work.completionHook(["true"])
        #expect(!hook.keepsFiles && hook.workspace == .shared && hook.directory == nil)
    }

    @Test("The time for which a job's files are kept is checked, and counts in the digest")
    func keepFiles() throws {
        func submission(_ time: Duration?) -> Submission {
            var submission = Submission(templates: [Template(work: Work(command))], entries: [Entry()])
            submission.settings.keepFiles = time
            return submission
        }
        for time in [nil, .zero, .seconds(1), .longestAllowed] as [Duration?] { try submission(time).validated() }
        for time in [.seconds(-1), .longestAllowed + .seconds(1)] as [Duration] {
            #expect(throws: Refusal.self) { try submission(time).validated() }
        }
        let times: [Duration?] = [nil, .zero, .seconds(1), .seconds(2)]
        let digests = times.map { submission($0).digest }
        #expect(Set(digests).count == digests.count)
        #expect(JobSettings().isEmpty && !JobSettings(keepFiles: .zero).isEmpty)
        #expect(throws: Refusal.self) { try submission(.zero).checkAsAddition() }
    }
}
