import Baton
import Foundation

/// Copies a file into the directory of the pipeline.
struct Fetch: ClusterOperation {
    static let typeName = "fetch"
    var source: String
    var directory: String

    /// Returns the path of the copy.
    func run(in context: OperationContext) async throws -> String {
        let copy = "\(directory)/\(context.address.index)-fetched.txt"
        // If the worker is lost, another one runs the operation again. An atomic write replaces what the first attempt left.
        try Data(contentsOf: URL(filePath: source)).write(to: URL(filePath: copy), options: .atomic)
        return copy
    }
}

/// Keeps the lines that contain a word.
struct Filter: ClusterOperation {
    struct Output: Codable {
        var path: String
        var lines: Int
    }

    static let typeName = "filter"
    var word: String

    func run(in context: OperationContext) async throws -> Output {
        let source = try context.result(of: Fetch.self)
        let lines = try String(contentsOfFile: source, encoding: .utf8).split(separator: "\n")
        let kept = lines.filter { $0.contains(word) }
        let path = source.replacing("fetched", with: "filtered")
        try kept.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
        return Output(path: path, lines: kept.count)
    }
}

/// Writes the lines of all filters into one file.
struct Combine: ClusterOperation {
    struct Output: Codable {
        var lines: Int
        /// The number of filters without a result.
        var missing: Int
    }

    static let typeName = "combine"
    var path: String

    func run(in context: OperationContext) async throws -> Output {
        // In the order of the dependencies; nil where one has not succeeded.
        let filtered = try context.results(of: Filter.self)
        var text = ""
        for (number, part) in filtered.compactMap({ $0 }).enumerated() {
            text += try String(contentsOfFile: part.path, encoding: .utf8)
            if part.lines > 0 { text += "\n" }
            context.report(progress: Double(number + 1) / Double(filtered.count), "Combined \(part.path).")
        }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let lines = filtered.compactMap { $0?.lines }.reduce(0, +)
        context.logger.info("Wrote \(lines) lines to \(path).")
        return Output(lines: lines, missing: filtered.count { $0 == nil })
    }
}
