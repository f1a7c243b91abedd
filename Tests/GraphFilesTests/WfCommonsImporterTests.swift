@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonOperations
import Testing

@Suite("Import of WfCommons records")
struct WfCommonsImporterTests {
    private struct Task {
        var id: String
        var parents: [String] = []
        var runTime = "1.5"
        var priority: Int?
    }

    private func record(_ tasks: [Task], name: String = "flow") -> String {
        func list(_ texts: [String]) -> String { texts.map { "\"\($0)\"" }.joined(separator: ", ") }
        let specification = tasks.map { task in
            #"{"name": "t", "id": "\#(task.id)", "children": [], "inputFiles": ["f"], "parents": [\#(list(task.parents))]}"#
        }
        let execution = tasks.reversed().map { task in
            let priority = task.priority.map { #", "priority": \#($0)"# } ?? ""
            return #"{"id": "\#(task.id)", "runtimeInSeconds": \#(task.runTime), "avgCPU": 92.7\#(priority)}"#
        }
        return """
            {"name": "\(name)", "schemaVersion": "1.5", "workflow": {
              "specification": {"tasks": [\(specification.joined(separator: ",\n"))], "files": []},
              "execution": {"makespanInSeconds": 9, "tasks": [\(execution.joined(separator: ",\n"))], "machines": []}}}
            """
    }

    private func imported(_ tasks: [Task], scale: Double = 1) throws -> Submission {
        try read(
            try WfCommonsImporter.graphFile(from: Array(record(tasks).utf8), fileName: "w.json", timeScale: scale)
        )
    }

    private func failure(_ text: String) -> String? {
        do {
            _ = try WfCommonsImporter.graphFile(from: Array(text.utf8), fileName: "w.json")
            return nil
        } catch {
            return error.description
        }
    }

    @Test("A task becomes an operation that needs its parents and sleeps for its scaled run time")
    func graph() throws {
        let text = try WfCommonsImporter.graphFile(
            from: Array(
                record([
                    Task(id: "merge", parents: ["split", "split"], runTime: "97.66", priority: 30),
                    Task(id: "split", runTime: "0.009611", priority: 20),
                    Task(id: "none", runTime: "2000"),
                ]).utf8
            ),
            fileName: "w.json",
            timeScale: 0.001
        )
        #expect(
            text == """
                {
                  "name": "flow",
                  "operations": [
                    {"name": "merge", "command": ["sleep", "0.09766"], "needs": ["split"], "priority": "high"},
                    {"name": "split", "command": ["sleep", "0.000009611"], "priority": "low"},
                    {"name": "none", "command": ["sleep", "2"]}
                  ]
                }

                """
        )
    }

    @Test("The priorities of imported operations keep the order of the recorded priorities", arguments: 1...12)
    func priorities(count: Int) throws {
        let tasks = (0..<count).map { Task(id: "t\($0)", priority: ($0 * 7 % count) * 10) }
        let submission = try imported(tasks + [Task(id: "none")])
        let priorities = submission.entries.prefix(count).map(\.priority)
        for (left, right) in zip(tasks, priorities).sorted(by: { $0.0.priority! < $1.0.priority! }).map(\.1).pairs {
            #expect(count <= 5 && Set(tasks.map(\.priority)).count == count ? left < right : left <= right)
        }
        #expect(Set(priorities).count == min(5, Set(tasks.map(\.priority)).count))
        #expect(submission.entries.last?.priority == .normal)
    }

    @Test("The names of tasks are made valid and stay different")
    func names() throws {
        let long = String(repeating: "x", count: 300)
        let tasks =
            ["a/b", "a_b", "9", "a:b#.-", long, long + "y"].map { Task(id: $0) } + [
                Task(id: "end", parents: ["a_b", "9"])
            ]
        let submission = try imported(tasks)
        let names = submission.entries.compactMap(\.name)
        #expect(Array(names.prefix(4)) == ["a_b", "a_b_2", "_9", "a:b#.-"])
        #expect(names[5] == String(repeating: "x", count: 198) + "_2")
        #expect(names.allSatisfy { Name.isValid($0) } && Set(names).count == tasks.count)
        #expect(submission.entries[6].dependencies.map(\.target) == [.entry(1), .entry(2)])
    }

    @Test("A text that is not a WfFormat record is refused with a sentence about its cause")
    func errors() {
        #expect(failure("{}") == #"w.json:1:1: a WfFormat record has a "workflow", and this has none"#)
        #expect(
            failure(#"{"workflow": {"tasks": []}}"#)
                == #"w.json:1:14: the workflow of WfFormat 1.5 has a "specification", and this has none"#
        )
        #expect(failure("{") == #"w.json:1:2: expected a key or "}", found the end of the file"#)
        #expect(failure("") == #"w.json:1:1: the file is empty; a WfFormat record is an object with "workflow""#)
        #expect(failure(record([])) == "w.json:2:20: The submission has no operations; nothing was submitted.")
        #expect(
            failure(record([Task(id: "a", parents: ["b"])]))?.hasSuffix("no task has the id \"b\" of this parent")
                == true
        )
        #expect(
            failure(record([Task(id: "a", runTime: "-1")]))?.hasSuffix(
                "the run time of \"a\" is not a number of seconds from 0"
            ) == true
        )
        #expect(failure(record([Task(id: "a"), Task(id: "a")]))?.hasSuffix("two tasks have the id \"a\"") == true)
        #expect(
            failure(record([Task(id: "a", parents: ["b"]), Task(id: "b", parents: ["a"])]))?.contains("a -> b -> a")
                == true
        )
    }
}

extension Array {
    /// Each element with the next one.
    fileprivate var pairs: Zip2Sequence<Self, ArraySlice<Element>> { zip(self, dropFirst()) }
}
