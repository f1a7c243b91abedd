import Operations
import Wire

/// What one watcher was told (OB10).
struct EventStream {
    /// The states that an operation was told to be in, in the order of the stream.
    private(set) var states: [OperationID: [String]] = [:]
    /// Some events were missed, and the watcher was told so.
    private(set) var isIncomplete = false
    private var last: UInt64 = 0

    /// Takes a page in.
    ///
    /// - Returns: what is wrong with it.
    mutating func take(_ page: EventPage, since: UInt64, mayMiss: Bool) -> [String] {
        var wrong: [String] = []
        if since != last { wrong.append("a watcher asked for what came after \(since), and knows \(last)") }
        if page.missed > 0 {
            isIncomplete = true
            if !mayMiss { wrong.append("a watcher missed \(page.missed) events after \(since), which are all kept") }
            last += page.missed
        }
        for line in page.lines.split(separator: UInt8(ascii: "\n")) {
            let text = String(decoding: line, as: UTF8.self)
            guard let number = Self.value("seq", in: text).flatMap({ UInt64($0) }) else {
                wrong.append("an event has no number: \(text)")
                continue
            }
            if number != last + 1 { wrong.append("event \(number) came after event \(last)") }
            last = number
            guard let first = Self.operation(in: text) else { continue }
            let count = Self.value("count", in: text).flatMap { UInt32($0) } ?? 1
            last += UInt64(count) - 1
            guard let state = Self.value("state", in: text) else { continue }
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

    private static func operation(in line: String) -> OperationID? {
        guard let text = value("operation", in: line), case .operation(let id)? = Address(text) else { return nil }
        return id
    }

    /// The value of a key in a line of JSON, without quotes.
    private static func value(_ key: String, in line: String) -> String? {
        let mark = "\"\(key)\":"
        guard let found = line.firstRange(of: mark) else { return nil }
        let rest = line[found.upperBound...]
        if rest.first == "\"" { return rest.dropFirst().prefix { $0 != "\"" }.description }
        return rest.prefix { $0 != "," && $0 != "}" }.description
    }
}

extension History {
    /// Judges what a watcher was told.
    func watched(_ page: EventPage, since: UInt64, by client: Int, history: UInt64) {
        report(streams[client, default: EventStream()].take(page, since: since, mayMiss: history < 1000))
    }
}
