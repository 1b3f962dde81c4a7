import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.Partitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import scala.Tuple2;

/**
 * Jobs of Spark whose tasks sleep: JOBS, a file whose first line says how executors are, and each other line a job.
 *
 * <p>First line, separated by tabs: factor of each executor (";"), slots of an executor, milliseconds that the
 * first task of a slot takes longer, first and last millisecond of the time in which the first executor is slow
 * and by what factor (";"), clients (0: jobs come whatever others do).
 *
 * <p>A job: name, pool, milliseconds after which it comes or its client submits it ("" if those after it wait for
 * its end), and its stages. A stage has tasks, separated by ";", and a task the milliseconds of each attempt (","),
 * 1 if the first one fails, the bytes that it reads, and by what its output is larger than usual, separated by ":".
 */
public final class SleepingSpark {
    /** Tasks of the stages that begin and end a job, and do not sleep. */
    static final int FIRST = 4;
    static final int LAST = 2;
    static final int END = 4000;
    /** Names the number of an executor; of its environment. */
    static final String NUMBER = "SLOWNESS_OF_THIS_WORKER";
    static final AtomicInteger USED = new AtomicInteger();

    record Executors(double[] factors, int slots, long cold, double[] spell, int clients) implements java.io.Serializable {
        static Executors of(String line) {
            String[] told = line.split("\t");
            return new Executors(numbers(told[0]), Integer.parseInt(told[1]), Long.parseLong(told[2]),
                    numbers(told[3]), Integer.parseInt(told[4]));
        }

        double factor(long since) {
            int number = Integer.parseInt(System.getenv(NUMBER));
            boolean slow = number == 0 && spell[0] <= since && since < spell[1];
            return factors[number] * (slow ? spell[2] : 1);
        }
    }

    record Task(long[] lasts, boolean fails, int reads, double writes) implements java.io.Serializable {
        static Task of(String told) {
            String[] part = told.split(":");
            long[] lasts = Arrays.stream(part[0].split(",")).mapToLong(Long::parseLong).toArray();
            return new Task(lasts, part[1].equals("1"), Integer.parseInt(part[2]), Double.parseDouble(part[3]));
        }
    }

    /** A record goes to the partition that it names. */
    static final class Places extends Partitioner {
        private final int count;

        Places(int count) {
            this.count = count;
        }

        @Override
        public int numPartitions() {
            return count;
        }

        @Override
        public int getPartition(Object key) {
            return (Integer) key;
        }
    }

    static double[] numbers(String told) {
        return Arrays.stream(told.split(";")).mapToDouble(Double::parseDouble).toArray();
    }

    /** What one of some tasks writes, a record for each task that reads it. */
    static Iterator<Tuple2<Integer, byte[]>> output(int[] reads, int tasks, double writes) {
        return IntStream.range(0, reads.length)
                .mapToObj(place -> new Tuple2<>(place, new byte[(int) (reads[place] * writes) / tasks]))
                .iterator();
    }

    static void sleep(Task task, Executors executors, long began) throws InterruptedException {
        int attempt = Math.min(TaskContext.get().attemptNumber(), task.lasts.length - 1);
        double lasts = task.lasts[attempt] * executors.factor(System.currentTimeMillis() - began);
        lasts += USED.getAndIncrement() < executors.slots ? executors.cold : 0;
        boolean fails = attempt == 0 && task.fails;
        Thread.sleep(Math.round(fails ? lasts / 2 : lasts));
        if (fails) {
            throw new IllegalStateException("an attempt of the plan fails");
        }
    }

    static void submit(JavaSparkContext spark, String line, Executors executors, long began) {
        String[] job = line.split("\t");
        spark.setLocalProperty("spark.job.description", job[0]);
        spark.setLocalProperty("spark.scheduler.pool", job[1].isEmpty() ? null : job[1]);
        List<Task[]> stages = new ArrayList<>();
        for (int number = 3; number < job.length; number++) {
            stages.add(Arrays.stream(job[number].split(";")).map(Task::of).toArray(Task[]::new));
        }
        int[] wanted = reads(stages.get(0));
        JavaPairRDD<Integer, byte[]> rows = spark.parallelize(List.of(0, 1, 2, 3), FIRST)
                .mapPartitionsToPair(none -> output(wanted, FIRST, 1));
        for (int number = 0; number < stages.size(); number++) {
            Task[] tasks = stages.get(number);
            int[] next = number + 1 < stages.size() ? reads(stages.get(number + 1)) : new int[] {END, END};
            rows = rows.partitionBy(new Places(tasks.length)).mapPartitionsToPair(records -> {
                records.forEachRemaining(one -> {});
                Task task = tasks[TaskContext.getPartitionId()];
                sleep(task, executors, began);
                return output(next, tasks.length, task.writes);
            });
        }
        rows.partitionBy(new Places(LAST)).count();
    }

    static int[] reads(Task[] tasks) {
        return Arrays.stream(tasks).mapToInt(Task::reads).toArray();
    }

    public static void main(String[] told) throws Exception {
        List<String> lines = Files.readAllLines(Path.of(told[0]));
        Executors executors = Executors.of(lines.get(0));
        List<Thread> running = new ArrayList<>();
        try (JavaSparkContext spark = new JavaSparkContext(new SparkConf())) {
            List<String> jobs = new ArrayList<>(lines.subList(1, lines.size()));
            while (wait(jobs.get(0)) < 0) {
                submit(spark, jobs.remove(0), executors, Long.MAX_VALUE);
            }
            long began = System.currentTimeMillis();
            int clients = executors.clients > 0 ? executors.clients : jobs.size();
            long due = began;
            for (int client = 0; client < clients; client++) {
                int own = client;
                due += executors.clients > 0 ? 0 : wait(jobs.get(client));
                Thread.sleep(Math.max(0, due - System.currentTimeMillis()));
                Thread one = new Thread(() -> {
                    for (int job = own; job < jobs.size(); job += clients) {
                        if (executors.clients > 0) {
                            nap(wait(jobs.get(job)));
                        }
                        submit(spark, jobs.get(job), executors, began);
                    }
                });
                one.setUncaughtExceptionHandler((thread, error) -> {
                    error.printStackTrace();
                    Runtime.getRuntime().halt(1);
                });
                one.start();
                running.add(one);
            }
            for (Thread one : running) {
                one.join();
            }
        }
    }

    static long wait(String job) {
        String gap = job.split("\t")[2];
        return gap.isEmpty() ? -1 : Long.parseLong(gap);
    }

    static void nap(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }
}
