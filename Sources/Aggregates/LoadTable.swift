/// The time for which attempts executed in each bucket of a window, in rows for workers.
struct LoadTable {
    private let window: TimelineWindow
    /// The microseconds in buckets that an attempt does not fill, for each row and bucket.
    private var parts: [Double] = []
    /// By how many the attempts that fill a bucket are more than those that fill the bucket before, for each row and bucket.
    private var changes: [Int32] = []

    init(_ window: TimelineWindow) {
        self.window = window
    }

    /// The number of rows.
    var rowCount: Int { parts.count / window.count }

    /// Adds a row.
    mutating func addRow() {
        parts += repeatElement(0, count: window.count)
        changes += repeatElement(0, count: window.count)
    }

    /// Counts an attempt, whose start and end are offsets in the window.
    ///
    /// - Complexity: O(1), for an attempt of any length.
    mutating func add(row: Int, _ start: Int64, _ end: Int64) {
        let (first, last) = (window.bucket(start), window.bucket(end))
        let base = row * window.count
        guard first < last else {
            parts[base + first] += Double(end - start)
            return
        }
        parts[base + first] += Double(Int64(first + 1) * window.bucketLength - start)
        parts[base + last] += Double(end - Int64(last) * window.bucketLength)
        changes[base + first + 1] &+= 1
        changes[base + last] &-= 1
    }

    /// The microseconds for which attempts of a row executed, for each bucket.
    func loads(ofRow row: Int) -> [Double] {
        var whole: Int32 = 0
        return (0..<window.count).map { bucket in
            let place = row * window.count + bucket
            whole &+= changes[place]
            return parts[place] + Double(whole) * Double(window.length(ofBucket: bucket))
        }
    }
}
