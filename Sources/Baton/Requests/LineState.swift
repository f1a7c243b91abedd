@_spi(Baton) import BatonOperations

/// The requests that wait for their turn, and the number of requests without an answer.
struct LineState {
    /// The most operations of one collected submission.
    static let mostCollected = 20_000
    /// The most bytes of the commands and arguments of a collected submission, unless a single one is longer.
    static let mostCollectedBytes = 16 << 20

    /// What to do next.
    enum Step {
        case submit([Addition], group: AdditionGroup?)
        case change(LineChange)
        case pass(@Sendable (ClusterError?) -> Void)
    }

    /// Items that go before all others; the last comes first.
    private var front: [LineItem] = []
    private var items: [LineItem] = []
    /// Items before this position have had their turn.
    private var head = 0
    private var isSubmissionOnItsWay = false
    private var isExclusiveChangeOnItsWay = false
    private var changesOnTheirWay = 0
    /// The operations without an answer.
    private(set) var unanswered = 0
    /// Whether a thread carries steps out.
    var isBusy = false
    var isClosed = false
    /// The first failure of what nobody awaited.
    var failure: ClusterError?
    /// The additions that wait until fewer operations are without an answer.
    var waitingForRoom: [@Sendable (ClusterError?) -> Void] = []
    /// Whether a submission that nobody awaits has failed without an answer; the next thing asked lets the line go on (L4).
    private(set) var isStalled = false

    mutating func append(_ item: LineItem) {
        switch item {
        case .addition: unanswered += 1
        case .group(let group): unanswered += group.additions.count
        case .part, .change, .point: break
        }
        items.append(item)
        isStalled = false
    }

    /// Lets the line go on.
    mutating func resume() { isStalled = false }

    /// Stops the line before a submission without an answer, until something else is asked.
    ///
    /// - Returns: what somebody awaits, which leaves the line.
    mutating func stall() -> [LineItem] {
        isStalled = true
        var awaited: [LineItem] = []
        func remains(_ item: LineItem) -> LineItem? {
            let isAwaited =
                switch item {
                case .point: true
                case .change(let change): change.isAwaited
                case .addition(let addition): addition.completion != nil
                case .group(let group): group.completion != nil
                case .part: false
                }
            if isAwaited { awaited.append(item) }
            guard case .part(let additions) = item else { return isAwaited ? nil : item }
            let (theirs, others) = additions.splitByAwaiting()
            if !theirs.isEmpty { awaited.append(.part(theirs)) }
            return others.isEmpty ? nil : .part(others)
        }
        front = front.reversed().compactMap { remains($0) }.reversed()
        items = items[head...].compactMap { remains($0) }
        head = 0
        unanswered -= awaited.reduce(0) { $0 + $1.additions.count }
        return awaited
    }

    /// Empties the line.
    mutating func takeAll() -> [LineItem] {
        defer { (front, items, head, unanswered) = ([], [], 0, 0) }
        return front.reversed() + items[head...]
    }

    /// Puts items before all others; the first of them goes first.
    mutating func prepend(_ new: [LineItem]) { front += new.reversed() }

    /// The next step; nil while the step has to wait for an answer.
    mutating func next() -> Step? {
        guard let item = front.last ?? (head < items.count ? items[head] : nil), !isExclusiveChangeOnItsWay, !isStalled
        else { return nil }
        switch item {
        case .addition, .part, .group:
            guard !isSubmissionOnItsWay else { return nil }
            isSubmissionOnItsWay = true
            if case .group(let group) = item {
                removeFirst()
                return .submit(group.additions, group: group)
            }
            return .submit(takeAdditions(), group: nil)
        case .change(let change):
            guard !isSubmissionOnItsWay, !change.isExclusive || changesOnTheirWay == 0 else { return nil }
            changesOnTheirWay += 1
            isExclusiveChangeOnItsWay = change.isExclusive
            removeFirst()
            return .change(change)
        case .point(let pass):
            guard !isSubmissionOnItsWay, changesOnTheirWay == 0 else { return nil }
            removeFirst()
            return .pass(pass)
        }
    }

    /// Notes the end of a submission.
    ///
    /// - Parameter count: how many of its operations have their answer.
    mutating func submissionEnded(answered count: Int) {
        isSubmissionOnItsWay = false
        unanswered -= count
    }

    /// Notes the answer to a change.
    mutating func changeEnded() {
        changesOnTheirWay -= 1
        isExclusiveChangeOnItsWay = false
    }

    private mutating func takeAdditions() -> [Addition] {
        if case .part(let additions)? = front.last {
            front.removeLast()
            return additions
        }
        var additions: [Addition] = []
        var names: Set<String> = []
        var length = 0
        while front.isEmpty, head < items.count, additions.count < Self.mostCollected,
            case .addition(let addition) = items[head]
        {
            // The repetition of a submission has nothing but what the submission had.
            if addition.earlier != nil {
                guard additions.isEmpty else { break }
                removeFirst()
                return [addition]
            }
            // Operations with equal names never share a submission (L5).
            if let name = addition.name, !names.insert(name).inserted { break }
            length += addition.length
            if length > Self.mostCollectedBytes, !additions.isEmpty { break }
            additions.append(addition)
            removeFirst()
        }
        return additions
    }

    private mutating func removeFirst() {
        if front.popLast() != nil { return }
        head += 1
        if head == items.count {
            items.removeAll(keepingCapacity: items.count <= 1024)
            head = 0
        } else if head >= 4096, head * 2 >= items.count {
            items.removeFirst(head)
            head = 0
        }
    }
}

extension LineItem {
    /// The additions of the item.
    var additions: [Addition] {
        switch self {
        case .addition(let addition): [addition]
        case .part(let additions): additions
        case .group(let group): group.additions
        case .change, .point: []
        }
    }
}

extension [Addition] {
    /// The additions that somebody awaits, and the others.
    func splitByAwaiting() -> (awaited: [Addition], others: [Addition]) {
        (filter { $0.completion != nil }, filter { $0.completion == nil })
    }
}
