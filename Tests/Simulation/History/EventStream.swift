@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The events that one watcher received (OB10).
struct EventStream {
    /// The states of each operation, in the order of the stream.
    private(set) var states: [OperationID: [String]] = [:]
    /// Whether the watcher was told of missed events.
    private(set) var isIncomplete = false
    private var last: UInt64 = 0
    /// The events that the watcher has asked for; nil for all.
    private(set) var selection: EventSelection?

    /// Some jobs.
    static let selection = EventSelection(jobs: stride(from: 1, to: 1000, by: 2).map { JobNumber($0) })

    /// Begins with no events.
    init(of selection: EventSelection?) {
        self.selection = selection
    }

    /// Whether the watcher has asked for the events of an operation.
    func selects(_ id: OperationID) -> Bool { selection?.jobs.contains(id.job) ?? true }

    /// Takes a page of events.
    ///
    /// - Returns: the faults of the page.
    mutating func take(_ page: EventPage, since: UInt64, mayMiss: Bool) -> [String] {
        var wrong: [String] = []
        if since != last { wrong.append("a watcher asked for what came after \(since), and knows \(last)") }
        if page.missed > 0 {
            isIncomplete = true
            if !mayMiss { wrong.append("a watcher missed \(page.missed) events after \(since), which are all kept") }
            last += page.missed
        }
        for line in page.lines.split(separator: UInt8(ascii: "\n")) {
            guard let number = Self.value("\"seq\":", in: line).flatMap({ UInt64($0) }) else {
                wrong.append("an event has no number: \(String(decoding: line, as: UTF8.self))")
                continue
            }
            if selection == nil ? number != last + 1 : number <= last {
                wrong.append("event \(number) came after event \(last)")
            }
            last = number
            guard let first = Self.operation(in: line) else { continue }
            if !selects(first) { wrong.append("a watcher was told of \(first), and has not asked for it") }
            let count = Self.value("\"count\":", in: line).flatMap { UInt32($0) } ?? 1
            last += UInt64(count) - 1
            guard let state = Self.value("\"state\":", in: line) else { continue }
            for index in first.index..<first.index + count {
                let operation = OperationID(job: first.job, index: index)
                if states[operation]?.last == "finished" {
                    wrong.append("\(operation) was told to be \(state) after it was finished")
                }
                states[operation, default: []].append(state)
            }
        }
        if page.last < last { wrong.append("a page ends at \(page.last), and its events at \(last)") }
        last = page.last
        return wrong
    }

    private static func operation(in line: ArraySlice<UInt8>) -> OperationID? {
        guard let text = value("\"operation\":", in: line), case .operation(let id)? = Address(text) else { return nil }
        return id
    }

    /// The value behind a key in a line of JSON, without quotes.
    ///
    /// The function compares bytes: a search for text took a third of a simulation's time.
    private static func value(_ key: StaticString, in line: ArraySlice<UInt8>) -> String? {
        key.withUTF8Buffer { key in
            for start in line.indices.dropLast(key.count) where line[start] == key[0] {
                guard line[start..<start + key.count].elementsEqual(key) else { continue }
                let rest = line[(start + key.count)...]
                let isQuoted = rest.first == UInt8(ascii: "\"")
                let value =
                    isQuoted
                    ? rest.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
                    : rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }
                return String(decoding: value, as: UTF8.self)
            }
            return nil
        }
    }
}

extension History {
    /// Checks the events that a watcher received.
    func watched(_ page: EventPage, of selection: EventSelection?, since: UInt64, by client: Int, history: UInt64) {
        report(streams[client, default: EventStream(of: selection)].take(page, since: since, mayMiss: history < 1000))
    }
}
