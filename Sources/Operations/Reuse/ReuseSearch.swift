/// Finds the operations of a new job whose results an earlier job has.
///
/// An operation is found if an operation with the same name, the same template and the same item succeeded in the earlier job, and if
/// all that it waits for is found, too, or is the same operation of another job. Queue, priority, delay, deadline and place in the
/// graph make no difference. What is held, cancelled from the start or a barrier is not found: its user wants more than a result. What
/// reads a file as its standard input is not found either: the record has the path, and not what was in the file. What has the files of the
/// submitter takes nothing itself; what needs it is found if the earlier job was sent the same files.
struct ReuseSearch {
    /// The most operations of either job, each of which takes some bytes meanwhile.
    static let mostOperations = 10_000_000

    /// What makes an entry the same as one of the earlier job, apart from the elements of an array.
    private struct Key: Hashable {
        var name: String?
        var template: Int
        var isArray: Bool
        var inputs: [Dependency]
    }

    /// Stands for an operation without a source.
    private static let none = UInt32.max

    private let new: Submission
    private let old: JobToRetry
    /// The index of the first operation of each entry, and behind them the number of operations.
    private let newFirsts: [UInt32]
    private let oldFirsts: [UInt32]
    /// For each new entry, the entry of the earlier job that it is the same as.
    private var partners: [Int?]
    /// For each new operation, the index of the one that it takes the result of.
    private var sources: [UInt32]
    /// For each new entry, whether each of its operations takes a result, and none of the partner's is left over.
    private var areWhole: [Bool]
    /// For each operation of the earlier job, whether it succeeded and was as submitted.
    private var succeeded: [Bool]
    private var hasResult: [Bool]
    /// The operations of the earlier job that left files.
    private var withFiles: Set<UInt32> = []
    /// The operation of the earlier job that has the same files of the submitter as the new job; nil without one.
    private let sent: UInt32?

    /// Searches.
    ///
    /// - Parameters:
    ///   - lost: the indices of operations of the earlier job that are not found.
    ///   - sent: the operation of the earlier job that has the same files of the submitter as the new job; nil without one.
    /// - Complexity: O(operations + dependencies) of both jobs, on average.
    init(for new: Submission, in old: JobToRetry, without lost: Set<UInt32> = [], sent: UInt32? = nil) {
        self.new = new
        self.old = old
        self.sent = sent
        newFirsts = Self.firsts(of: new)
        oldFirsts = Self.firsts(of: old.job.submission)
        let (newCount, oldCount) = (new.operationCount, old.job.submission.operationCount)
        partners = Array(repeating: nil, count: new.entries.count)
        areWhole = Array(repeating: false, count: new.entries.count)
        sources = Array(repeating: Self.none, count: newCount)
        succeeded = Array(repeating: false, count: oldCount)
        hasResult = Array(repeating: false, count: oldCount)
        for run in old.fates.runs where run.fate.outcome == .succeeded {
            for index in run.operations.clamped(to: 0..<UInt32(oldCount)) {
                succeeded[Int(index)] = true
                hasResult[Int(index)] = run.fate.hasResult
                if run.fate.hasFiles { withFiles.insert(index) }
            }
        }
        for index in Array(old.dependencies.keys) + Array(old.commands.keys) where Int(index) < oldCount {
            succeeded[Int(index)] = false
        }
        for index in lost where Int(index) < oldCount { succeeded[Int(index)] = false }
        search()
    }

    /// The operations that take a result, in the order of their indices.
    var found: [ReusedOperation] {
        var found: [ReusedOperation] = []
        for (index, source) in sources.enumerated() where source != Self.none {
            var operation = ReusedOperation(
                index: UInt32(index),
                source: OperationID(job: old.job.number, index: source),
                hasResult: hasResult[Int(source)]
            )
            operation.hasFiles = withFiles.contains(source)
            found.append(operation)
        }
        return found
    }

    private mutating func search() {
        let earlier = old.job.submission
        let templates = TemplateNumbers(new.templates, earlier.templates)
        var candidates: [Key: [Int]] = [:]
        // In reverse, so that the first one is taken from the end.
        for position in earlier.entries.indices.reversed() {
            let key = Key(
                name: earlier.entries[position].name,
                template: templates.second[earlier.entries[position].template],
                isArray: earlier.entries[position].array != nil,
                inputs: earlier.entries[position].dependencies.map { inOldTerms($0) }
            )
            candidates[key, default: []].append(position)
        }
        for entry in Self.dependenciesFirst(new) {
            guard let inputs = inputs(ofNew: entry) else { continue }
            let key = Key(
                name: new.entries[entry].name,
                template: templates.first[new.entries[entry].template],
                isArray: new.entries[entry].array != nil,
                inputs: inputs
            )
            guard let partner = candidates[key]?.popLast() else { continue }
            partners[entry] = partner
            findElements(of: entry, partner)
        }
    }

    /// Finds the operations of an entry whose partner's operations succeeded.
    private mutating func findElements(of entry: Int, _ partner: Int) {
        if entry == new.sent?.entry {
            areWhole[entry] = sent.map { $0 == oldFirsts[partner] } ?? false
            return
        }
        let submitted = new.entries[entry]
        guard !submitted.isHeld, !submitted.isBarrier, !submitted.isCancelled,
            new.templates[submitted.template].work.standardInput == nil
        else { return }
        let earlier = old.job.submission.entries[partner].array.map { NumberedElements($0) }
        var isWhole = submitted.count == old.job.submission.entries[partner].count
        for position in 0..<submitted.count {
            var match: Int? = 0
            if let array = submitted.array, let earlier {
                match = earlier.position(of: array.number(at: position), array.item(at: position))
            }
            guard let place = match, case let source = oldFirsts[partner] + UInt32(place), succeeded[Int(source)],
                haveInputs(of: entry, at: UInt32(position), partner, UInt32(place))
            else {
                isWhole = false
                continue
            }
            sources[Int(newFirsts[entry]) + position] = source
        }
        areWhole[entry] = isWhole
    }

    /// Whether all that an operation waits for takes the results that its source had.
    private func haveInputs(of entry: Int, at position: UInt32, _ partner: Int, _ place: UInt32) -> Bool {
        new.entries[entry].dependencies.allSatisfy { dependency in
            switch dependency.target {
            case .entry(let other): return areWhole[other]
            case .element(let other, let element): return sources[Int(newFirsts[other] + element)] != Self.none
            case .elements(let other):
                guard let first = partners[other].map({ oldFirsts[$0] }) else { return false }
                return sources[Int(newFirsts[other] + position)] == first + place
            case .existing: return true
            // Each element waits for the one at its position, which has to be the one that its source waited for.
            case .existingElements: return position == place
            }
        }
    }

    /// The dependencies of a new entry in terms of the earlier job; nil if that job has nothing like one of them.
    private func inputs(ofNew entry: Int) -> [Dependency]? {
        var inputs: [Dependency] = []
        for dependency in new.entries[entry].dependencies {
            var input = dependency
            switch dependency.target {
            case .existing, .existingElements: break
            case .entry(let other):
                guard let partner = partners[other] else { return nil }
                input.target = .entry(partner)
            case .elements(let other):
                guard let partner = partners[other] else { return nil }
                input.target = .elements(partner)
            case .element(let other, let element):
                guard let partner = partners[other], case let source = sources[Int(newFirsts[other] + element)],
                    source != Self.none
                else { return nil }
                input.target = .element(partner, source - oldFirsts[partner])
            }
            inputs.append(input)
        }
        return inputs
    }

    /// A dependency of the earlier job by the positions of its entries, where the record has the address of an operation of the job.
    private func inOldTerms(_ dependency: Dependency) -> Dependency {
        guard case .existing(.operation(let id)) = dependency.target, id.job == old.job.number else {
            return dependency
        }
        let entry = oldFirsts.indices.binarySearch { oldFirsts[$0] > id.index } - 1
        let entries = old.job.submission.entries
        guard entries.indices.contains(entry) else { return dependency }
        let isSingle = entries[entry].array == nil
        let target = isSingle ? Dependency.Target.entry(entry) : .element(entry, id.index - oldFirsts[entry])
        return Dependency(on: target, condition: dependency.condition)
    }

    private static func firsts(of submission: Submission) -> [UInt32] {
        var firsts: [UInt32] = [0]
        firsts.reserveCapacity(submission.entries.count + 1)
        var next: UInt32 = 0
        for position in submission.entries.indices {
            next += UInt32(submission.entries[position].count)
            firsts.append(next)
        }
        return firsts
    }

    /// The positions of the entries of a submission without cycles, each behind those that it depends on.
    private static func dependenciesFirst(_ submission: Submission) -> [Int] {
        var dependents: [Int: [Int]] = [:]
        var waits = Array(repeating: 0, count: submission.entries.count)
        for position in submission.entries.indices {
            for dependency in submission.entries[position].dependencies {
                guard let other = dependency.target.entry else { continue }
                dependents[other, default: []].append(position)
                waits[position] += 1
            }
        }
        var order = submission.entries.indices.filter { waits[$0] == 0 }
        var next = 0
        while next < order.count {
            for dependent in dependents[order[next]] ?? [] {
                waits[dependent] -= 1
                if waits[dependent] == 0 { order.append(dependent) }
            }
            next += 1
        }
        return order
    }
}

/// The elements of an array by their numbers.
private struct NumberedElements {
    private let array: ArrayValues
    /// The positions of picked elements, which have numbers in any order.
    private var positions: [Int64: Int] = [:]

    init(_ array: ArrayValues) {
        self.array = array
        guard case .picked(let elements) = array else { return }
        for (position, element) in elements.enumerated() { positions[element.number] = position }
    }

    /// The position of the element with a number, if it has the item; nil without such an element.
    func position(of number: Int64, _ item: String) -> Int? {
        let found = if case .picked = array { positions[number] } else { array.position(ofNumber: number) }
        guard let place = found, array.item(at: place) == item else { return nil }
        return place
    }
}

/// Numbers for the templates of two jobs: equal templates have equal numbers.
private struct TemplateNumbers {
    let first: [Int]
    let second: [Int]

    init(_ first: [Template], _ second: [Template]) {
        var numbers: [Template: Int] = [:]
        func number(of template: Template) -> Int {
            var template = template
            // Another span has submitted the job, and does the same.
            template.work.environment[TraceContext.parentVariable] = nil
            // A time that a client was given is another duration in each submission.
            if template.deadline != nil { template.deadline = nil }
            if let known = numbers[template] { return known }
            numbers[template] = numbers.count
            return numbers.count - 1
        }
        self.first = first.map { number(of: $0) }
        self.second = second.map { number(of: $0) }
    }
}
