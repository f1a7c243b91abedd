@_spi(Baton) import BatonOperations

/// A window of time in buckets of whole microseconds.
struct TimelineWindow {
    /// The beginning.
    let from: Timestamp
    /// The end, at least a microsecond later.
    let to: Timestamp
    /// The length of each bucket but the last one, in microseconds.
    let bucketLength: Int64
    /// The number of buckets.
    let count: Int

    /// Divides a window.
    ///
    /// - Parameter buckets: the most buckets; a window has fewer where they would be shorter than a microsecond, or empty.
    init(from: Timestamp, to: Timestamp, buckets: Int) {
        self.from = min(from, Timestamp(rawValue: .max - 1))
        self.to = max(to, self.from + .microseconds(1))
        let length = max(1, (self.to - from).microseconds)
        bucketLength = (length - 1) / Int64(buckets) + 1
        count = Int((length - 1) / bucketLength) + 1
    }

    /// The length of the whole window in microseconds.
    var length: Int64 { (to - from).microseconds }

    /// The moment as microseconds from the beginning of the window; moments outside count as the beginning or the end.
    func offset(_ moment: Timestamp) -> Int64 {
        moment <= from ? 0 : moment >= to ? length : moment.rawValue - from.rawValue
    }

    /// Whether a moment is in the window, both ends included.
    func contains(_ moment: Timestamp) -> Bool { moment >= from && moment <= to }

    /// The bucket of an offset; that of the end is the last one.
    func bucket(_ offset: Int64) -> Int { min(count - 1, Int(offset / bucketLength)) }

    /// The length of a bucket in microseconds.
    func length(ofBucket bucket: Int) -> Int64 {
        bucket == count - 1 ? length - Int64(bucket) * bucketLength : bucketLength
    }
}
