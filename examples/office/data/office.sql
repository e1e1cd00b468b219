-- The sample database of the office agent: SQLite, made when the agent first needs it.
CREATE TABLE departments (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE users (
    id INTEGER PRIMARY KEY, login TEXT NOT NULL UNIQUE, name TEXT NOT NULL, title TEXT NOT NULL,
    department_id INTEGER NOT NULL REFERENCES departments (id), joined TEXT NOT NULL
);
CREATE TABLE topics (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE knowledge_bases (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    department_id INTEGER NOT NULL REFERENCES departments (id), created TEXT NOT NULL
);
CREATE TABLE documents (
    id INTEGER PRIMARY KEY, knowledge_base_id INTEGER NOT NULL REFERENCES knowledge_bases (id),
    title TEXT NOT NULL, author_id INTEGER NOT NULL REFERENCES users (id), pages INTEGER NOT NULL,
    created TEXT NOT NULL
);

INSERT INTO departments (id, name) VALUES
    (1, '总经办'),
    (2, '财务部'),
    (3, '人事部'),
    (4, '市场部'),
    (5, '销售部'),
    (6, '研发部'),
    (7, '客服部'),
    (8, '行政部');

INSERT INTO users (id, login, name, title, department_id, joined) VALUES
    (1, 'gaoyuan', '高远', '总经理', 1, '2024-08-12'),
    (2, 'linxue', '林雪', '总经理助理', 1, '2022-03-23'),
    (3, 'heping', '何平', '战略专员', 1, '2020-10-06'),
    (4, 'zhaomin', '赵敏', '财务总监', 2, '2025-05-17'),
    (5, 'liming', '李明', '会计', 2, '2023-12-28'),
    (6, 'wangfang', '王芳', '会计', 2, '2021-07-11'),
    (7, 'qianfeng', '钱枫', '出纳', 2, '2019-02-22'),
    (8, 'suntao', '孙涛', '审计专员', 2, '2024-09-05'),
    (9, 'zhoujing', '周静', '预算专员', 2, '2022-04-16'),
    (10, 'wuyan', '吴艳', '人事经理', 3, '2020-11-27'),
    (11, 'zhengkai', '郑凯', '招聘专员', 3, '2025-06-10'),
    (12, 'fengli', '冯丽', '薪酬专员', 3, '2023-01-21'),
    (13, 'chenchen', '陈晨', '培训专员', 3, '2021-08-04'),
    (14, 'chuxia', '褚霞', '员工关系专员', 3, '2019-03-15'),
    (15, 'weilan', '卫兰', '市场总监', 4, '2024-10-26'),
    (16, 'jiangbo', '蒋波', '品牌经理', 4, '2022-05-09'),
    (17, 'shenyue', '沈悦', '活动专员', 4, '2020-12-20'),
    (18, 'hanbing', '韩冰', '内容编辑', 4, '2025-07-03'),
    (19, 'yangguang', '杨光', '设计师', 4, '2023-02-14'),
    (20, 'zhuhong', '朱红', '媒介专员', 4, '2021-09-25'),
    (21, 'qinchuan', '秦川', '数据分析师', 4, '2019-04-08'),
    (22, 'youjia', '尤佳', '市场专员', 4, '2024-11-19'),
    (23, 'xuqiang', '许强', '销售总监', 5, '2022-06-02'),
    (24, 'hemei', '何美', '大区经理', 5, '2020-01-13'),
    (25, 'lvwei', '吕伟', '客户经理', 5, '2025-08-24'),
    (26, 'shilei', '施磊', '客户经理', 5, '2023-03-07'),
    (27, 'zhangwei', '张伟', '客户经理', 5, '2021-10-18'),
    (28, 'kongjun', '孔军', '渠道经理', 5, '2019-05-01'),
    (29, 'caoyu', '曹雨', '售前顾问', 5, '2024-12-12'),
    (30, 'yanhua', '严华', '商务专员', 5, '2022-07-23'),
    (31, 'huaxin', '华欣', '销售助理', 5, '2020-02-06'),
    (32, 'jinlong', '金龙', '技术总监', 6, '2025-09-17'),
    (33, 'weizheng', '魏征', '架构师', 6, '2023-04-28'),
    (34, 'taoran', '陶然', '后端工程师', 6, '2021-11-11'),
    (35, 'jiangnan', '姜楠', '后端工程师', 6, '2019-06-22'),
    (36, 'qixin', '戚欣', '前端工程师', 6, '2024-01-05'),
    (37, 'xieting', '谢婷', '前端工程师', 6, '2022-08-16'),
    (38, 'zouming', '邹明', '测试工程师', 6, '2020-03-27'),
    (39, 'yuhang', '喻航', '算法工程师', 6, '2025-10-10'),
    (40, 'baiyu', '柏宇', '算法工程师', 6, '2023-05-21'),
    (41, 'shuiqing', '水清', '产品经理', 6, '2021-12-04'),
    (42, 'douwei', '窦伟', '运维工程师', 6, '2019-07-15'),
    (43, 'admin', '章程', '系统管理员', 6, '2024-02-26'),
    (44, 'yunfei', '云飞', '客服经理', 7, '2022-09-09'),
    (45, 'suqin', '苏琴', '客服专员', 7, '2020-04-20'),
    (46, 'panyue', '潘越', '客服专员', 7, '2025-11-03'),
    (47, 'gelin', '葛琳', '客服专员', 7, '2023-06-14'),
    (48, 'xifeng', '奚峰', '客服专员', 7, '2021-01-25'),
    (49, 'fanbin', '范斌', '行政经理', 8, '2019-08-08'),
    (50, 'penghui', '彭辉', '前台', 8, '2024-03-19'),
    (51, 'langyue', '郎月', '采购专员', 8, '2022-10-02');

INSERT INTO topics (id, name) VALUES
    (1, '制度汇编'),
    (2, '新人手册'),
    (3, '常见问题'),
    (4, '会议纪要'),
    (5, '项目档案'),
    (6, '合同范本'),
    (7, '培训资料'),
    (8, '流程说明'),
    (9, '模板库'),
    (10, '案例集'),
    (11, '数据字典'),
    (12, '术语表'),
    (13, '周报'),
    (14, '月报'),
    (15, '年度计划'),
    (16, '供应商资料'),
    (17, '客户资料'),
    (18, '竞品分析'),
    (19, '行业研究'),
    (20, '应急预案'),
    (21, '知识分享'),
    (22, '复盘'),
    (23, '政策法规');

-- Every department has a base for each topic, but for those that have none yet: 178 bases.
INSERT INTO knowledge_bases (name, department_id, created)
SELECT d.name || t.name, d.id, date('2024-01-08', ((d.id * 37 + t.id * 29) % 700) || ' days')
FROM departments AS d CROSS JOIN topics AS t
WHERE NOT (t.id = 23 AND d.id > 2)
ORDER BY t.id, d.id;

-- Between 2 and 13 documents in each.
INSERT INTO documents (knowledge_base_id, title, author_id, pages, created)
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 13)
SELECT b.id, b.name || ' ' || printf('%02d', n), (b.id * 13 + n * 7) % 51 + 1, (b.id * 3 + n * 5) % 40 + 1,
       date(b.created, ((b.id + n * 17) % 90) || ' days')
FROM knowledge_bases AS b CROSS JOIN numbers
WHERE n <= (b.id * 7) % 12 + 2
ORDER BY b.id, n;

DROP TABLE topics;
