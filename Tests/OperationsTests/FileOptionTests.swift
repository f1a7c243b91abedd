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
            refusal(command) { $0.outputs = ["a", "../b"] }?.hasPrefix(
                "The list of outputs has \"../b\", which has the part"
            )
                == true
        )
        let many = [String](repeating: "a", count: OutputPattern.maximumCount)
        #expect(refusal(command) { $0.outputs = many } == nil)
        #expect(refusal(command) { $0.outputs = many + ["b"] }?.contains("more than 1000 patterns") == true)
    }

    @Test("FI3 Picked inputs are for commands with a workspace of their own, and have places in it that do not clash")
    func inputs() {
        func picking(_ places: [String: String], in workspace: Workspace = .fresh) -> String? {
            refusal(command) {
                $0.picks = places
                $0.workspace = workspace
            }
        }
        let allowed: [[String: String]] = [
            ["a/*.bam": "in/", "b/x": "x"], ["a": "./"], ["a/*": "in/", "b/*": "in/"],
            ["a/x": "in/", "b/y": "in/", "c/x": "more/"],
            ["a/x?": "x", "b/x?": "x"], ["a/{}": "in/", "b/{}": "in/"], ["a": "in", "b": "in2/x", "c": "in.d/"],
            ["a/": "d/e/f/"],
        ]
        for places in allowed { #expect(picking(places) == nil, "\(places)") }
        let refused: [([String: String], String)] = [
            (["a/x": "x", "b/y": "x"], "\"a/x\" and \"b/y\" one place"), (["a/x": "in/", "b/x": "in/"], "one place"),
            (["a/x": "in/", "b/y": "in/x"], "one place"), (["a/x": "./", "b/*.y": "x"], "one place"),
            (["a": "in", "b": "in/"], "a directory for the other"),
            (["a": "in", "b": "in/d/x", "c": "in!"], "a directory for the other"),
            (["a/x": "in/", "b/*": "in/x/"], "a directory for the other"), (["a": "/in"], "begins with a slash"),
            (["a": ""], "is empty"),
            (["a": "in/../x"], "has the part"), (["a": "."], "has the part"), (["a": "in//x"], "has an empty part"),
            (["a": "/"], "begins with a slash"), (["../a": "x"], "has the part"), (["/a": "x"], "below BATON_INPUTS"),
            (["a/**": "in/"], "has \"**\""), (["a": "x\0y"], "has a NUL"),
        ]
        for (places, words) in refused {
            let found = picking(places)
            #expect(
                found?.hasPrefix("The list of picked inputs ") == true && found?.contains(words) == true,
                "\(places): \(found ?? "")"
            )
        }
        let many = Dictionary((0...InputPick.maximumCount).map { ("a/\($0)", "in/") }) { first, _ in first }
        #expect(picking(many)?.contains("more than 1000 patterns") == true)
        #expect(picking(["a": "a"], in: .shared)?.contains("Give it a workspace of its own") == true)
        for kind in [Work.Kind.noOperation, .typed(type: "t", argument: [])] {
            let found = refusal(kind) { $0.picks = ["a": "a"] }
            #expect(
                found?.contains(kind == .noOperation ? "without a command picks inputs" : "is for commands") == true
            )
        }
    }

    @Test(
        "An input gets into a directory under the last part of its path or all below a folder, or to a place of its own"
    )
    func placesOfInputs() throws {
        for (place, path) in [
            ("in/", "in/x.bam"), ("./", "x.bam"), ("a/b/", "a/b/x.bam"), ("y", "y"), ("a/y.bam", "a/y.bam"),
        ] {
            #expect(try InputPick("align/*", to: place).path(of: ["align", "x.bam"]) == path)
        }
        for (pattern, place, path) in [
            ("sent/", "./", "d/e/x"), ("sent/d/", "in/", "in/e/x"), ("*/d/e/", "a/b/", "a/b/x"),
            ("sent/d/e/?", "y", "y"),
        ] {
            #expect(try InputPick(pattern, to: place).path(of: ["sent", "d", "e", "x"]) == path)
        }
        #expect(throws: Refusal.self) { try InputPick("align/*", to: "../in/") }
        #expect(throws: Refusal.self) { try InputPick("", to: "in/") }
        let pick = try InputPick("align/?", to: "in/")
        #expect(
            pick.pattern.isOptional && pick.pattern.matches(["align", "d", "x"]) && !pick.pattern.matches(["align"])
        )
    }

    @Test("Copies are those of outputs, from 1 to 16, and a copy has a name that no attempt has")
    func copies() {
        func wanting(_ copies: Int, of outputs: [String] = ["a"], by kind: Work.Kind? = nil) -> String? {
            refusal(kind ?? command) {
                $0.outputs = outputs
                $0.copies = copies
            }
        }
        for copies in Work.allowedCopies { #expect(wanting(copies) == nil) }
        for copies in [0, -1, 17, Int.max] {
            #expect(wanting(copies)?.hasPrefix("The number of copies is \(copies)") == true, "\(copies)")
        }
        #expect(wanting(1, of: []) == nil)
        #expect(wanting(2, of: [])?.contains("has no outputs") == true)
        #expect(wanting(2, of: [], by: .typed(type: "t", argument: []))?.isEmpty == false)
        var work = Work(command)
        work.outputs = ["a"]
        work.copies = 2
        #expect(work.neededOptionVersion == 7 && work.completionHook(["true"]).copies == 1)
        work.copies = 1
        work.outputs = []
        #expect(work == Work(command))
        #expect(AttemptToken.copy(7).isOfCopy && AttemptToken.copy(7) != .copy(8))
        #expect(!AttemptToken(epoch: 1, serial: 7).isOfCopy && !AttemptToken(rawValue: 7).isOfCopy)
        #expect(!AttemptToken(AttemptToken.copy(7).inRecord, of: Incarnation(rawValue: 5)).isOfCopy)
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
        #expect(work.keepsFiles && !work.picksInputs && work.neededOptionVersion == 7)
        work.picks = ["a": "a"]
        work.outputs = []
        #expect(!work.keepsFiles && work.picksInputs && work.neededOptionVersion == 7)
        work.picks = [:]
        work.outputs = ["a"]
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
        work.picks = ["a": "a"]
        let hook = work.completionHook(["true"])
        #expect(!hook.keepsFiles && !hook.picksInputs && hook.workspace == .shared && hook.directory == nil)
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

    @Test("The limit of a job's files is checked, and counts in the digest")
    func filesLimit() throws {
        func submission(_ limit: Int64?) -> Submission {
            var submission = Submission(templates: [Template(work: Work(command))], entries: [Entry()])
            submission.settings.filesLimit = limit
            return submission
        }
        for limit in [nil, 1, 1 << 20, 1 << 50] as [Int64?] { try submission(limit).validated() }
        for limit in [0, -1, .min, 1 << 50 + 1, .max] as [Int64] {
            #expect(throws: Refusal.self) { try submission(limit).validated() }
        }
        let limits: [Int64?] = [nil, 1, 2, 1 << 50]
        #expect(Set(limits.map { submission($0).digest }).count == limits.count)
        #expect(!JobSettings(filesLimit: 1).isEmpty)
        #expect(throws: Refusal.self) { try submission(1).checkAsAddition() }
        #expect(throws: Never.self) { try submission(nil).checkAsAddition() }
    }
}
