/// Numbers as users type them: ranges, one after the other.
@_spi(Baton) extension ArrayValues {
    /// Reads ranges as users type them: `1-1000`, `0-99:5`, `7` for a single number, or several: `1-9:2,20,30-40`.
    ///
    /// - Throws: ``Refusal`` for a text of another form, for a number that stands twice, and for more elements than a job may have.
    public init(range text: String) throws(Refusal) {
        func refused(_ why: String) -> Refusal {
            Refusal(
                .invalid,
                "The array \"\(text.asShown)\" \(why). Give ranges as FIRST-LAST or FIRST-LAST:STEP, like 1-1000:2 or 1-9,20."
            )
        }
        var ranges: [(first: Int64, step: Int64, count: Int)] = []
        var total = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let range: (first: Int64, step: Int64, count: Int)
            switch Self.range(part) {
            case .success(let read): range = read
            case .failure(let objection): throw refused(objection.why)
            }
            total += range.count
            guard total <= Submission.maximumOperations else {
                throw refused("has more elements than the \(Submission.maximumOperations) that a job may have")
            }
            ranges.append(range)
        }
        if ranges.count == 1 {
            self = .numbers(first: ranges[0].first, step: ranges[0].step, count: ranges[0].count)
            return
        }
        let numbers = ranges.flatMap { range in (0..<range.count).map { range.first + Int64($0) * range.step } }
        let sorted = numbers.sorted()
        if let twice = sorted.indices.dropFirst().first(where: { sorted[$0] == sorted[$0 - 1] }) {
            throw refused("has the number \(sorted[twice]) twice")
        }
        self = .picked(numbers.map { Element(number: $0, item: String($0)) })
    }

    private struct Objection: Error {
        var why: String
    }

    private static func range(_ text: Substring) -> Result<(first: Int64, step: Int64, count: Int), Objection> {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let bounds = (parts.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 2, bounds.count <= 2, let first = bounds.first.flatMap(number),
            let last = bounds.count == 2 ? number(bounds[1]) : first,
            let step = parts.count == 2 ? number(parts[1]) : 1
        else { return .failure(Objection(why: "is not a list of ranges")) }
        guard step > 0 else { return .failure(Objection(why: "has a step of 0")) }
        guard first <= last else { return .failure(Objection(why: "has a range that ends before it starts")) }
        let steps = (last - first) / step
        guard steps < Int64(Submission.maximumOperations) else {
            return .failure(
                Objection(why: "has more elements than the \(Submission.maximumOperations) that a job may have")
            )
        }
        return .success((first, step, Int(steps) + 1))
    }

    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }

    /// The ranges as users type them; nil unless each item is its number, which is not negative.
    public var rangeText: String? {
        var runs: [(first: Int64, last: Int64, step: Int64)] = []
        for position in 0..<count {
            let number = number(at: position)
            guard number >= 0, item(at: position) == String(number) else { return nil }
            if case .numbers(let first, let step, let count) = self {
                runs = [(first, first + Int64(count - 1) * step, step)]
                break
            }
            guard let run = runs.last else {
                runs.append((number, number, 0))
                continue
            }
            let step = number - run.last
            if step > 0, run.step == step || run.step == 0 {
                runs[runs.count - 1] = (run.first, number, step)
            } else {
                runs.append((number, number, 0))
            }
        }
        return runs.map { run in
            run.step == 0
                ? "\(run.first)" : "\(run.first)-\(run.last)" + (run.step == 1 ? "" : ":\(run.step)")
        }.joined(separator: ",")
    }
}
