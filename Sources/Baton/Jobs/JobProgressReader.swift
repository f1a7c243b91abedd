import Foundation

/// Shows the progress of a job in a progress object, until the job is finished or nobody holds the object.
enum JobProgressReader {
    static func start(_ object: Progress, of job: Job) {
        let (cluster, id) = (job.cluster, job.jobNumber)
        let place = WeakProgress(object)
        let reader = ProgressReader {
            guard let object = place.object, let page = try? await cluster.page(of: id, from: 0, limit: 1) else {
                return
            }
            object.totalUnitCount = Int64(page.counts.total)
            let finished = page.counts.succeeded + page.counts.failed + page.counts.cancelled + page.counts.skipped
            object.completedUnitCount = Int64(finished)
        }
        cluster.follower.follow(.job(id)) {
            reader.read()
            return place.object.map { $0.totalUnitCount >= 0 && $0.completedUnitCount == $0.totalUnitCount } ?? true
        }
        reader.read()
    }
}

/// A progress object that somebody else may hold.
private struct WeakProgress: Sendable {
    weak let object: Progress?

    init(_ object: Progress) {
        self.object = object
    }
}
